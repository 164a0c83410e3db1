/** The files and sockets of the edge, below the data directory. */
import { join, resolve } from 'node:path';

/** On Linux, `sun_path` has 108 bytes including the terminator. */
const longestSocketPath = 107;
/**
 * Each socket is first created under a temporary name (`server-sockets.ts`), which is longer by this length and a dot.
 */
export const ownNameLength = 8;

export type EdgePaths = {
  /** HAProxy's working directory: configuration, tables, admin socket. The service's user alone. */
  edge: string;
  /** The sockets that HAProxy connects to. HAProxy's group may enter. */
  run: string;
  apiSocket: string;
  pagesSocket: string;
  registrySocket: string;
  /** A new process requests a handover here. The socket is outside the folder that HAProxy may enter. */
  serviceSocket: string;
  /** The socket of earlier releases, which a new process may have to replace. */
  formerServiceSocket: string;
  adminSocket: string;
  pidFile: string;
};

export function edgePaths(dataDir: string): EdgePaths {
  const edge = resolve(dataDir, 'edge');
  const run = resolve(dataDir, 'run');
  return {
    edge,
    run,
    apiSocket: join(run, 'api.sock'),
    pagesSocket: join(run, 'pages.sock'),
    registrySocket: join(run, 'images.sock'),
    serviceSocket: join(edge, 'service.sock'),
    formerServiceSocket: join(run, 'service.sock'),
    adminSocket: join(edge, 'admin.sock'),
    pidFile: join(edge, 'haproxy.pid'),
  };
}

/** @returns the reason why the data directory cannot be used, for the operator, or undefined. */
export function dataDirProblem(dataDir: string): string | undefined {
  const { apiSocket, pagesSocket, registrySocket, serviceSocket, adminSocket } = edgePaths(dataDir);
  const serverSockets = [apiSocket, pagesSocket, registrySocket, serviceSocket].map(
    (path) => `${path}.${'x'.repeat(ownNameLength)}`,
  );
  const excess =
    Math.max(...[...serverSockets, adminSocket].map((path) => Buffer.byteLength(path))) - longestSocketPath;
  if (excess <= 0) return undefined;
  return `The data directory ${resolve(dataDir)} has too long a path for the sockets below it: ${excess} bytes less would fit.`;
}
