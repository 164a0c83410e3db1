import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { connectDocker } from './connect-docker.ts';

test('an engine that comes back as another one, with other versions of its API, is spoken to in one of those', async (t) => {
  let spoken = '1.41';
  const server = createServer(({ url = '' }, response) => {
    const [, version] = /^\/v([\d.]+)\//.exec(url) ?? [];
    const isRefused = version !== undefined && version !== spoken;
    response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isRefused ? { message: 'another version' } : { ApiVersion: spoken }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const before = process.env.DOCKER_HOST;
  process.env.DOCKER_HOST = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.after(() => {
    if (before === undefined) delete process.env.DOCKER_HOST;
    else process.env.DOCKER_HOST = before;
    server.closeAllConnections();
    server.close();
  });
  const docker = await connectDocker();
  await docker.info();
  spoken = '1.44';
  await assert.rejects(docker.info(), { statusCode: 400 });
  const isUnderstood = () =>
    docker.info().then(
      () => true,
      () => false,
    );
  while (!(await isUnderstood())) await nextTurn();
});
