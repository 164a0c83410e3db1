import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type Docker from 'dockerode';
import { createHostFacts } from './host-facts.ts';

/** An engine as far as these facts go. */
function engine() {
  const reported = { root: '/var/lib/docker', questions: 0, isAway: false };
  const docker = {
    version: async () => ({ Arch: 'amd64', ApiVersion: '1.41' }),
    async info() {
      reported.questions++;
      if (reported.isAway) throw new Error('away');
      return { NCPU: 2, MemTotal: 2 ** 30, DockerRootDir: reported.root };
    },
  } as unknown as Docker;
  return { reported, docker };
}

test('the facts of an engine are queried once a minute: it may have come back as another one', async () => {
  const { reported, docker } = engine();
  let nowMs = 0;
  const facts = createHostFacts(docker, () => nowMs);
  await Promise.all([facts(), facts()]);
  reported.root = '/srv/docker';
  nowMs = 59_999;
  assert.equal((await facts()).rootDirectory, '/var/lib/docker');
  assert.equal(reported.questions, 1);
  nowMs = 60_000;
  await facts();
  // The request runs in the background, and its result is for the next caller.
  await setImmediate();
  assert.equal((await facts()).rootDirectory, '/srv/docker');
  assert.equal(reported.questions, 2);
});

test('while the engine is away, or says nothing, it is what it was', async () => {
  const { reported, docker } = engine();
  let nowMs = 0;
  const facts = createHostFacts(docker, () => nowMs);
  await facts();
  reported.isAway = true;
  nowMs = 60_000;
  assert.equal((await facts()).cpus, 2);
  docker.info = () => new Promise(() => {});
  assert.equal((await facts()).cpus, 2);
});

test('a failed query is repeated by the next caller', async () => {
  const { reported, docker } = engine();
  reported.isAway = true;
  const facts = createHostFacts(docker, () => 0);
  await assert.rejects(facts(), /away/);
  reported.isAway = false;
  assert.equal((await facts()).cpus, 2);
});
