import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Memory, recallSealed } from './folder.ts';
import { openMemoryWriter } from './memory-writer.ts';

test('of two commands that start something in one folder at once, no token is lost', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-writer-'));
  t.after(() => rm(folder, { recursive: true }));
  const told: (string | undefined)[] = [];
  const open = () => openMemoryWriter(folder, undefined, ({ url }) => void told.push(url));
  const memoryOf = (name: string): Memory => ({
    server: 'http://a.test',
    sessionToken: `berth_${name}`,
    url: `http://${name}.test`,
  });
  const [one, other] = [await open(), await open()];
  await one({ server: 'http://a.test', starting: { key: 'k', document: 'd' } });
  await one(memoryOf('one'));
  await one(memoryOf('one'));
  assert.deepEqual(told, []);
  await other({ server: 'http://a.test', starting: { key: 'l', document: 'd' } });
  await other(memoryOf('other'));
  assert.deepEqual(told, ['http://one.test']);
  assert.equal((await recallSealed(folder, undefined)).memory.sessionToken, 'berth_other');
  const kept = JSON.parse(await readFile(join(folder, '.berth/earlier.json'), 'utf8')) as Memory[];
  assert.deepEqual(
    kept.map(({ sessionToken }) => sessionToken),
    ['berth_one'],
  );

  // A later command leaves what it has found of its own accord.
  const later = await open();
  await later(memoryOf('later'));
  assert.equal(told.length, 1);
});
