import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';

test('a port of this machine that is in use is refused before any request to the cluster', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const words = ['--image', 'berth:1', '--yes', '--port', String(port)];
  // Neither kubectl nor a kubeconfig exists.
  const env = { PATH: '' };
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, [join(import.meta.dirname, 'start-kubernetes.ts'), ...words], { env }, (_, __, stderr) =>
      resolve(stderr),
    );
  });
  assert.equal(said, `Port ${port} of this machine cannot be had (EADDRINUSE): --port names another one.\n`);
});
