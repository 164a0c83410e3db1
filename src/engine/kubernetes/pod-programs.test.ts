import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { Exec } from '@kubernetes/client-node';
import { EngineFault } from '../engine.ts';
import { runInPod } from './pod-programs.ts';

const pod = { namespace: 'berth-shop', pod: 'copier', container: 'copier' };

test('a connection that is cut while a program is given its input fails that program, and nothing else', async () => {
  const socket = Object.assign(new EventEmitter(), {
    close() {},
    send: (_: Uint8Array, done: (error: Error) => void) => void done(new Error('not open')),
  });
  const exec = { exec: async () => socket } as unknown as Exec;
  const input = async (to: NodeJS.WritableStream) => {
    await new Promise((given) => to.write('some', given));
    socket.emit('close');
  };
  const running = runInPod(exec, pod, ['cat'], new AbortController().signal, { input });
  await assert.rejects(running, /connection to the pod was closed|not open/);
});

test('a pod that cannot run a program now is reported in words, without the request to the cluster', async () => {
  const event = { message: 'Unexpected server response: 500', target: { header: 'Authorization: Bearer very-secret' } };
  const exec = { exec: () => Promise.reject(event) } as unknown as Exec;
  const fault = await runInPod(exec, pod, ['true'], new AbortController().signal).catch((error: unknown) => error);
  assert.ok(fault instanceof EngineFault && fault.kind === 'unavailable');
  assert.match(inspect(fault), /response: 500/);
  assert.doesNotMatch(inspect(fault, { depth: null }), /very-secret/);
});
