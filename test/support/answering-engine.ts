/** An engine that answers what a test wants: what the real one says once in a thousand times, or in another release. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import Docker from 'dockerode';
import { endRequests } from '../../src/engine/docker/connect-docker.ts';

/** An engine that answers like this, and a client that waits for it so long: by default for longer than anything takes. */
export async function clientOf(t: TestContext, answer: RequestListener, patienceMs = 60_000): Promise<Docker> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return endRequests(new Docker({ host: '127.0.0.1', port, protocol: 'http' }), {
    looks: patienceMs,
    changes: patienceMs,
  });
}
