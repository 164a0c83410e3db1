import assert from 'node:assert/strict';
import { Agent, type IncomingMessage, request } from 'node:http';
import { after, before, test } from 'node:test';
import { type ImageRegistry, openImageRegistry } from '../support/image-registry.ts';

let registry: ImageRegistry;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
before(async () => {
  registry = await openImageRegistry();
});
after(async () => {
  agent.destroy();
  await registry.close();
});

/** On the connection that the last one was on, unless the registry has closed it. */
function patch(path: string, token: string, body: Buffer): Promise<IncomingMessage & { isOnSameConnection: boolean }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-range': '7-9', 'content-length': body.length };
    const requested = request(`http://${registry.host}${path}`, { method: 'PATCH', agent, headers }, (answer) =>
      answer.resume().on('end', () => resolve(Object.assign(answer, { isOnSameConnection: requested.reusedSocket }))),
    );
    requested.on('error', reject).end(body);
  });
}

test('a piece that is refused is passed over, so that its client reads the refusal and goes on', async () => {
  const { token, namespace } = await registry.pusher();
  const begun = await registry.ask('POST', `/v2/${namespace}/api/blobs/uploads/`, { token });
  const path = begun.headers.get('location')!;
  const first = await patch(path, token, Buffer.alloc(700_000));
  assert.deepEqual([first.statusCode, first.headers.connection], [416, 'keep-alive']);
  const second = await patch(path, token, Buffer.alloc(700_000));
  assert.deepEqual([second.statusCode, second.isOnSameConnection], [416, true]);
});

test('what is too much to be passed over ends with its connection', async () => {
  const { token, namespace } = await registry.pusher();
  const begun = await registry.ask('POST', `/v2/${namespace}/api/blobs/uploads/`, { token });
  const { hostname, port } = new URL(`http://${registry.host}`);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-range': '7-9',
    'content-length': 2 ** 30,
    connection: 'keep-alive',
  };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { hostname, port, path: begun.headers.get('location')!, method: 'PATCH', headers };
    const requested = request(options, (answered) => {
      resolve(answered);
      requested.destroy();
    });
    requested.on('error', reject);
    requested.flushHeaders();
  });
  assert.deepEqual([answer.statusCode, answer.headers.connection], [416, 'close']);
});
