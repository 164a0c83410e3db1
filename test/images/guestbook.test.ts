/** The pieces of examples/guestbook.yaml work together, without Berth around them. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { eventually, makeNetwork, makeVolume, type Running, startContainer } from './containers.ts';

type Pod = {
  name: string;
  image: string;
  command?: string;
  vars?: Record<string, string>;
  files?: { path: string; content: string }[];
  volumes?: { mountPath: string }[];
};

const example = join(import.meta.dirname, '../../examples/guestbook.yaml');

test('the guestbook keeps entries, caches the list, and lives through the loss of its database and its cache', async (t) => {
  const { application } = parse(await readFile(example, 'utf8')) as { application: { pods: Pod[] } };
  const network = await makeNetwork(t);
  const volume = await makeVolume(t);
  const start = (name: string): Promise<Running> => {
    const pod = application.pods.find((candidate) => candidate.name === name)!;
    const volumes = Object.fromEntries((pod.volumes ?? []).map(({ mountPath }) => [volume, mountPath]));
    return startContainer(t, {
      image: pod.image,
      files: pod.files,
      env: pod.vars,
      command: pod.command?.split(' '),
      network,
      alias: `${name}.pod`,
      volumes,
    });
  };
  const api = await start('api');
  const url = `http://${api.address}:3000/api`;
  const list = async () => {
    const response = await fetch(`${url}/entries`);
    const body = (await response.json()) as { entries: { name: string; message: string; writtenAt: string }[] };
    return { ...body, status: response.status, cache: response.headers.get('x-cache') };
  };
  const sign = async (entry: unknown) => {
    const response = await fetch(`${url}/entries`, { method: 'POST', body: JSON.stringify(entry) });
    return response.status;
  };
  const untilHealthy = () => eventually(async () => ((await fetch(`${url}/healthz`)).ok ? true : undefined));

  await t.test('the API answers at once, and says what it waits for', async () => {
    const response = await eventually(() => fetch(`${url}/healthz`));
    assert.equal(response.status, 503);
    assert.deepEqual(await response.json(), { error: 'The database does not answer yet.' });
  });

  const [database, cache, web] = [await start('db'), await start('cache'), await start('web')];
  await untilHealthy();

  await t.test('the page is served', async () => {
    const page = await eventually(async () => (await fetch(`http://${web.address}/`)).text());
    assert.match(page, /<title>Guestbook<\/title>/);
  });

  await t.test('an entry is text, with any content', async () => {
    const entry = { name: "Robert'); DROP TABLE entries; --", message: '<script>alert(1)</script> $1 🦫\n\\ "quoted"' };
    assert.equal(await sign(entry), 201);
    const [{ writtenAt, ...written } = { writtenAt: '' }] = (await list()).entries;
    assert.deepEqual(written, entry);
    assert.ok(Math.abs(Date.parse(writtenAt) - Date.now()) < 60_000);
  });

  await t.test('the list comes from the cache until a visitor signs', async () => {
    await list();
    assert.equal((await list()).cache, 'hit');
    assert.equal(await sign({ name: 'Ada', message: 'Hello' }), 201);
    const fresh = await list();
    assert.equal(fresh.cache, 'miss');
    assert.equal(fresh.entries[0]?.name, 'Ada');
    const again = await list();
    assert.equal(again.cache, 'hit');
    assert.deepEqual(again.entries, fresh.entries);
  });

  await t.test('an invalid entry is refused', async () => {
    const refused = [
      undefined,
      1,
      {},
      { name: ' ', message: 'x' },
      { name: 'x', message: 'y'.repeat(1001) },
      { name: 'a\0', message: 'b' },
    ];
    for (const entry of refused) assert.equal(await sign(entry), 400, JSON.stringify(entry));
    assert.equal(await sign({ name: 'x', message: 'y'.repeat(100_000) }), 400);
    assert.equal((await fetch(`${url}/nothing`)).status, 404);
  });

  await t.test('without the cache the list comes from the database', async () => {
    await cache.remove();
    assert.equal((await list()).cache, 'miss');
    assert.equal(await sign({ name: 'Grace', message: 'No cache' }), 201);
    assert.equal((await list()).entries.length, 3);
  });

  await t.test('a database that was replaced is found again, with every entry', async () => {
    await database.remove();
    await eventually(async () => ((await list()).status === 503 ? true : undefined));
    await Promise.all([start('db'), start('cache')]);
    await untilHealthy();
    assert.deepEqual(
      (await list()).entries.map(({ name }) => name),
      ['Grace', 'Ada', "Robert'); DROP TABLE entries; --"],
    );
    await eventually(async () => ((await list()).cache === 'hit' ? true : undefined));
  });
});
