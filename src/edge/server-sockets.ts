/**
 * The sockets of a service's servers. Each listens under a temporary name. Then all are linked at once to the names
 * that HAProxy uses, replacing those of the previous service. Existing connections stay with the previous service, and
 * new ones go to this one. The temporary names stay, so that a replaced service can be linked again.
 */
import { chmod, link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { newId } from '../lib/ids.ts';
import { ownNameLength } from './edge-paths.ts';
import { admitProxy, isAbandoned } from './sockets.ts';

/** `listen` resolves when a server listens at the path that it is given. */
export type Admit = (listen: (socketPath: string) => Promise<unknown>) => Promise<void>;

/** Closing them, after the servers, removes the names that still belong to this service. */
export type ServerSockets = AsyncDisposable & {
  /** Makes the server listen on the Unix socket. HAProxy may connect unless the socket is `private`. */
  at(socket: string, who?: 'proxy' | 'private'): Admit;
  /** Links the sockets again, even if another service took their place and died. */
  open(): Promise<void>;
};

export function createServerSockets(): ServerSockets {
  const admitted = new Map<string, { own: string; inode: number }>();
  return {
    at:
      (socket, who = 'proxy') =>
      async (listen) => {
        const own = `${socket}.${newId().slice(0, ownNameLength)}`;
        if (who === 'private') await mkdir(dirname(own), { recursive: true, mode: 0o700 });
        await listen(own);
        await (who === 'proxy' ? admitProxy(own) : chmod(own, 0o600));
        admitted.set(socket, { own, inode: (await stat(own)).ino });
      },
    async open() {
      for (const [socket, { own }] of admitted) {
        const second = `${own}.second`;
        await link(own, second);
        await rename(second, socket);
        // Renaming one of two links to the same file does nothing.
        await rm(second, { force: true });
      }
      for (const socket of admitted.keys()) await clearDeserted(socket);
    },
    async [Symbol.asyncDispose]() {
      for (const [socket, { own, inode }] of admitted) {
        await rm(own, { force: true });
        const present = await stat(socket).catch(() => undefined);
        if (present?.ino === inode) await rm(socket);
      }
    },
  };
}

/** The own names of services that were killed. */
async function clearDeserted(socket: string): Promise<void> {
  const folder = dirname(socket);
  const names = (await readdir(folder)).filter((name) => name.startsWith(`${basename(socket)}.`));
  for (const path of names.map((name) => join(folder, name)))
    if (await isAbandoned(path)) await rm(path, { force: true });
}
