/** Sources from Git servers, as they are planned and kept. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { openSources } from '../../src/builds/sources.ts';
import { readGitAddress } from '../../src/config/values/git-address.ts';
import { startGitServer } from '../support/git-server.ts';

test('a source from Git is planned like an archive, says its commit, and leaves nothing when it is released', async (t) => {
  await using server = await startGitServer();
  const listed = new Map([[server.host, { plainHttp: false, ca: server.certificate }]]);
  const { commit, git } = await server.create('shop');
  await commit({ Dockerfile: 'FROM scratch\nEXPOSE 80' });
  const place = await mkdtemp(join(tmpdir(), 'berth-sources-'));
  const sources = await openSources(place, listed);
  t.after(async () => {
    await sources.close();
    await rm(place, { recursive: true });
  });
  const address = readGitAddress({ git: server.url('shop') });
  assert.ok(address.ok);
  const requested = { token: undefined, signal: AbortSignal.timeout(60_000) };
  const id = await sources.fetch(address.value, 'a', requested);
  assert.ok(id.ok, JSON.stringify(id));
  const source = await sources.open(id.value, 'a', { signal: requested.signal });
  assert.ok(source.ok, JSON.stringify(source));
  assert.equal(source.value.name, 'shop');
  const head = await git('rev-parse', 'HEAD');
  assert.equal(source.value.notes[0]!.message, `The source is commit ${head.slice(0, 12)} of main.`);
  assert.deepEqual(await readdir(join(place, id.value)), ['shop']);
  await sources.release(id.value);
  const gone = await sources.fetch({ ...address.value, ref: 'none' }, 'a', requested);
  assert.ok(!gone.ok);
  assert.deepEqual(await readdir(place), []);
});

test('a configuration is planned with the files of the repositories that it names, and no token is kept', async (t) => {
  const other = await startGitServer();
  const guarded = await startGitServer({ login: 'x-access-token:a-secret-token' });
  const servers = new Map([other, guarded].map(({ host, certificate: ca }) => [host, { plainHttp: false, ca }]));
  const place = await mkdtemp(join(tmpdir(), 'berth-sources-'));
  const sources = await openSources(place, servers);
  t.after(async () => {
    await sources.close();
    await guarded[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
    await rm(place, { recursive: true });
  });
  const { commit } = await guarded.create('private');
  await commit({ 'apps/web/Dockerfile': 'FROM scratch\nEXPOSE 3000', 'README.md': 'one' });
  const plain = await other.create('plain');
  await plain.commit({ 'package.json': '{"name":"api","scripts":{"start":"node a.js"}}' });
  const open = async (document: string, signal = AbortSignal.timeout(60_000)) => {
    const id = await sources.receiveNothing('a');
    assert.ok(id.ok);
    const source = await sources.open(id.value, 'a', { document, signal });
    return { id: id.value, source };
  };
  const documentOf = (token: string, more = '') => `application:
  name: shop
  pods:
    - name: web
      path: /
      build:
        source: { git: "${guarded.url('private')}", ref: main, path: apps, token: ${token} }
        context: web
    - name: api
      servicePorts: [3000]
      build: { source: { git: "${other.url('plain')}" } }
${more}`;
  const first = await open(documentOf('a-secret-token'));
  assert.ok(first.source.ok, JSON.stringify(first.source));
  const { images, document, notes, content } = first.source.value;
  assert.deepEqual(
    images.map(({ name }) => name),
    ['./web:1', './api:1'],
  );
  assert.match(document, /servicePorts:\n\s+- 3000/);
  const said = notes.map(({ message }) => message).join('\n');
  assert.match(said, /The source 127\.0\.0\.1:\d+\/private is commit [0-9a-f]{12} of main\./);
  assert.match(said, /Built from package\.json/);
  assert.doesNotMatch(JSON.stringify(first.source.value), /a-secret-token/);
  for (const file of await readdir(join(place, first.id, 'app'), { recursive: true }))
    assert.doesNotMatch(await readFile(join(place, first.id, 'app', file), 'utf8'), /a-secret-token/);
  assert.deepEqual((await readdir(join(place, first.id))).sort(), ['app', 'git-0', 'git-1']);
  assert.ok(other.authorizations.every((each) => each === undefined));
  await sources.release(first.id);

  await commit({ 'README.md': 'two' });
  const same = await open(documentOf('x-access-token:a-secret-token'));
  assert.ok(same.source.ok);
  assert.equal(same.source.value.content, content);
  await sources.release(same.id);
  await commit({ 'apps/web/Dockerfile': 'FROM scratch\nEXPOSE 80' });
  const changed = await open(documentOf('a-secret-token'));
  assert.ok(changed.source.ok);
  assert.notEqual(changed.source.value.content, content);
  await sources.release(changed.id);

  const wrong = await open(documentOf('another-secret'));
  assert.ok(!wrong.source.ok);
  assert.match(wrong.source.problem.error, /^berth\.yaml:7:17: The repository .*private does not exist, or is private/);
  assert.doesNotMatch(JSON.stringify(wrong.source), /another-secret/);
  await sources.release(wrong.id);
  const gone = await open(documentOf('a-secret-token'), AbortSignal.abort());
  assert.ok(!gone.source.ok);
  await sources.release(gone.id);
  const folders = Array.from({ length: 10 }, (_, at) => `p${at}`);
  await plain.commit(Object.fromEntries(folders.map((folder) => [`${folder}/Dockerfile`, 'FROM scratch'])));
  const sourceOf = (path: string) => `{ git: "${other.url('plain')}", path: ${path} }`;
  const pods = folders.map((folder) => `    - { name: ${folder}, build: { source: ${sourceOf(folder)} } }\n`);
  const many = await open(documentOf('a-secret-token', pods.join('')));
  assert.ok(!many.source.ok);
  assert.match(many.source.problem.error, /more than 10 repositories/);
  await sources.release(many.id);
  assert.deepEqual(await readdir(place), []);
});

test('a few clients with slow uploads leave places for others', async (t) => {
  const place = await mkdtemp(join(tmpdir(), 'berth-sources-'));
  const sources = await openSources(place);
  const slow: PassThrough[] = [];
  const receiving: Promise<unknown>[] = [];
  const receive = (client: string) => {
    slow.push(new PassThrough());
    receiving.push(sources.receive(slow.at(-1)!, client));
  };
  t.after(async () => {
    for (const body of slow) body.destroy();
    await Promise.allSettled(receiving);
    await sources.close();
    await rm(place, { recursive: true });
  });
  const receiveNow = async (client: string) => {
    const body = new PassThrough();
    body.end('not an archive');
    const received = await sources.receive(body, client);
    if (received.ok) await sources.release(received.value);
    return received.ok;
  };
  for (const client of ['a', 'b', 'c', 'd']) for (let upload = 0; upload < 2; upload++) receive(client);
  assert.equal(await receiveNow('a'), false);
  receive('e');
  assert.equal(await receiveNow('e'), false);
  assert.equal(await receiveNow('f'), true);
});
