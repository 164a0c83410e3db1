import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { Exec } from '@kubernetes/client-node';
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
