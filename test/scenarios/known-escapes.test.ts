/** Known ways out of a container are told as the service starts, whatever engine this machine has. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Docker from 'dockerode';
import { escapeWords, knownEscapes } from '../../src/engine/docker/host/known-escapes.ts';
import { type Berth, createBerth } from './berth.ts';

let berth: Berth;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(() => berth?.destroy());

test("the log warns of those of the engine's own programs, and of no others", async () => {
  const { Components } = await new Docker().version();
  const versions = Object.fromEntries(Components.map(({ Name, Version }) => [Name, Version]));
  for (const name of ['Engine', 'containerd', 'runc']) assert.match(versions[name] ?? '', /^v?\d+\.\d+\.\d+/, name);
  const lines = berth
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  const warnings = lines.map((line) => JSON.parse(line)).filter(({ escapes }) => escapes);
  const expected = knownEscapes(Components, 'runc').map((found) => ['warn', escapeWords(found)]);
  assert.deepEqual(
    warnings.map(({ level, msg }) => [{ 40: 'warn' }[level as number], msg]),
    expected,
  );
});
