/** Where the edge keeps its files and sockets, below the data directory. */
import { join, resolve } from 'node:path';

/** `sun_path` has 108 bytes on Linux, the last one is its end. */
const longestSocketPath = 107;

export type EdgePaths = {
  /** HAProxy's working directory: configuration, tables, admin socket. The service's user alone. */
  edge: string;
  /** The sockets that the service listens on. HAProxy's group may enter. */
  run: string;
  apiSocket: string;
  pagesSocket: string;
  registrySocket: string;
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
    adminSocket: join(edge, 'admin.sock'),
    pidFile: join(edge, 'haproxy.pid'),
  };
}

/** @returns what is wrong with this data directory, in words for the operator, or nothing. */
export function dataDirProblem(dataDir: string): string | undefined {
  const { apiSocket, pagesSocket, registrySocket, adminSocket } = edgePaths(dataDir);
  const excess =
    Math.max(...[apiSocket, pagesSocket, registrySocket, adminSocket].map((path) => Buffer.byteLength(path))) -
    longestSocketPath;
  if (excess <= 0) return undefined;
  return `The data directory ${resolve(dataDir)} has too long a path for the sockets below it: ${excess} bytes less would fit.`;
}
