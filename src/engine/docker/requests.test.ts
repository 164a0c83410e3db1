import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test } from 'node:test';
import { clientOf } from '../../../test/support/answering-engine.ts';
import { EngineFault } from '../engine.ts';
import { faultOf } from './faults.ts';

function isSilence(error: unknown): boolean {
  const fault = faultOf(error);
  assert.ok(fault instanceof EngineFault, String(error));
  return fault.kind === 'unavailable' && /does not respond/.test(fault.message);
}

const silences: [string, RequestListener][] = [
  ['never answers', () => {}],
  ['hangs up', ({ socket }) => socket.destroy()],
  ['begins an answer and never ends it', (_, response) => response.writeHead(200).write('[{"Id":')],
  [
    'hangs up in the middle of an answer',
    ({ socket }, response) => response.writeHead(200).write('[{"Id":', () => socket.destroy()),
  ],
  [
    'hangs up in the middle of an error',
    ({ socket }, response) => response.writeHead(500).write('{"message":', () => socket.destroy()),
  ],
];

for (const [title, answer] of silences) {
  test(`a request to an engine that ${title} ends, and the engine counts as silent`, async (t) => {
    const docker = await clientOf(t, answer, 200);
    await assert.rejects(docker.listContainers(), isSilence);
    await assert.rejects(docker.createVolume({ Name: 'x' }), isSilence);
  });
}

test('answers, errors and bytes arrive as the engine has sent them', async (t) => {
  const docker = await clientOf(t, ({ url }, response) => {
    if (url?.startsWith('/volumes')) return response.end('{"Volumes":[],"Warnings":null}');
    if (url?.startsWith('/containers/x/logs')) return response.end(Buffer.from([1, 0, 255]));
    if (url?.startsWith('/containers/x/start')) return response.writeHead(204).end();
    return response.writeHead(404).end('{"message":"No such container: x"}');
  });
  const container = docker.getContainer('x');
  assert.deepEqual((await docker.listVolumes()).Volumes, []);
  assert.deepEqual(await container.logs({ stdout: true, follow: false }), Buffer.from([1, 0, 255]));
  await container.start();
  await assert.rejects(container.inspect(), /No such container: x/);
});

test('a request that its caller gives up is not called silence', async (t) => {
  const docker = await clientOf(t, () => {});
  const listing = docker.listContainers({ abortSignal: AbortSignal.timeout(20) });
  await assert.rejects(listing, ({ name }) => name === 'AbortError');
});
