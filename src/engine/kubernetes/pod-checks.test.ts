import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPodCheck, inspectPod, readInside } from './observe.ts';
import type { ProgramEnd, RunInPod } from './pod-programs.ts';

const pod = { namespace: 'n', pod: 'p', container: 'c' };
const check = {
  command: ['/bin/ready'],
  timeoutSeconds: 0.01,
  initialDelaySeconds: 0,
  periodSeconds: 1,
  failureThreshold: 1,
};
const ends = (end: ProgramEnd) => createPodCheck({ run: async () => end }, pod)({ ...check, timeoutSeconds: 60 });

test('a check that ends with 0 is well; one that does not says with what', async () => {
  assert.equal(await ends({ code: 0, output: '', isFlood: false }), undefined);
  const sick = await ends({ code: 3, output: 'no', isFlood: false });
  assert.equal(sick?.words, 'health check `ready` exits with 3: no');
});

test('a program that is missing in the image is reported, and a pod that cannot run programs is not', async () => {
  const missing = 'OCI runtime exec failed: exec failed: "/bin/ready": executable file not found in $PATH';
  assert.match(
    (await ends({ output: missing, isFlood: false }))?.words ?? '',
    /its image does not contain this program/,
  );
  const unrun = await ends({ output: 'container not found', isFlood: false });
  assert.deepEqual([unrun?.kind, unrun?.words], ['unreachable', 'health check `ready` has not been run yet']);
});

test('a check that was given up is not joined by a second one until it has ended', async () => {
  const { promise, resolve } = Promise.withResolvers<ProgramEnd>();
  let runs = 0;
  const run: RunInPod = () => {
    runs++;
    return runs === 1 ? promise : Promise.resolve({ code: 0, output: '', isFlood: false });
  };
  const ask = createPodCheck({ run }, pod);
  assert.match((await ask(check))?.words ?? '', /did not finish within/);
  assert.match((await ask(check))?.words ?? '', /was aborted and has not ended yet/);
  assert.equal(runs, 1);
  resolve({ code: 0, output: '', isFlood: false });
  await promise;
  await new Promise(setImmediate);
  assert.equal(await ask({ ...check, timeoutSeconds: 60 }), undefined);
});

const table = `  sl  local_address rem_address   st tx_queue
   0: 00000000:1F90 00000000:0000 0A 00000000:00000000
`;

test('on which ports a pod listens, and how long it has computed, is read with its own cat', async () => {
  const listening = [{ port: 8080, isLocalOnly: false }];
  assert.deepEqual(readInside(`${table}2500000\n`), { listening, cpuMs: 2.5 });
  assert.deepEqual(readInside(`${table}usage_usec 2500\nuser_usec 1\n`), { listening, cpuMs: 2.5 });
  assert.deepEqual(await inspectPod({ run: async () => ({ code: 1, output: table, isFlood: false }) }, pod), {
    listening,
    cpuMs: undefined,
  });
  assert.equal(await inspectPod({ run: async () => ({ output: 'no cat', isFlood: false }) }, pod), undefined);
  assert.equal(await inspectPod({ run: () => Promise.reject(new Error('gone')) }, pod), undefined);
});
