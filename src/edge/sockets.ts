/** Lets only HAProxy connect to the sockets of the service. */
import { chmod, chown, mkdir, readFile, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { edgePaths } from './edge-paths.ts';

/** The user and group that HAProxy runs as. Debian's package creates them. */
export const proxyAccount = 'haproxy';

/** HAProxy drops its privileges, and so needs to be let in, when it is started by root. */
export function startsAsRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Creates `<dataDir>/run`. The directory's mode protects the sockets between `listen()` and `admitProxy()`. */
export async function prepareRunDirectory(dataDir: string): Promise<void> {
  const { run } = edgePaths(dataDir);
  await mkdir(run, { recursive: true, mode: 0o700 });
  if (startsAsRoot()) await chown(run, 0, await proxyGroup());
  await chmod(run, startsAsRoot() ? 0o750 : 0o700);
}

/** Removes the socket file of a killed service. `listen()` would fail because of it. */
export async function clearSocket(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** Lets HAProxy connect to a socket in the run directory. Call it when the socket listens. */
export async function admitProxy(socketPath: string): Promise<void> {
  if (startsAsRoot()) await chown(socketPath, 0, await proxyGroup());
  await chmod(socketPath, startsAsRoot() ? 0o660 : 0o600);
}

/** Returns whether the socket file exists without a listener, because its process was killed. */
export async function isAbandoned(path: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = createConnection(path);
    socket
      .once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'))
      .once('connect', () => {
        socket.destroy();
        resolve(false);
      });
  });
}

/** Makes a server listen directly on the socket that HAProxy uses. */
export function admitAt(socket: string): (listen: (socketPath: string) => Promise<unknown>) => Promise<void> {
  return async (listen) => {
    await clearSocket(socket);
    await listen(socket);
    await admitProxy(socket);
  };
}

async function proxyGroup(): Promise<number> {
  const groups = await readFile('/etc/group', 'utf8');
  const id = groups
    .split('\n')
    .find((line) => line.startsWith(`${proxyAccount}:`))
    ?.split(':')[2];
  if (!id)
    throw new Error(`This machine has no group "${proxyAccount}"; HAProxy's package makes it: apt-get install haproxy`);
  return Number(id);
}
