/**
 * Whether a service runs for a data directory, and as which process. Of its own, so that commands that ask this do not
 * load the whole service.
 */
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { edgePaths } from './edge/edge-paths.ts';
import type { Settings } from './settings/settings.ts';

/** Whether a service answers for this data directory. */
export async function isServing({ dataDir }: Pick<Settings, 'dataDir'>): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = createConnection(edgePaths(dataDir).apiSocket);
    socket
      .once('error', () => resolve(false))
      .once('connect', () => {
        socket.destroy();
        resolve(true);
      });
  });
}

/** Where the service that runs for a data directory says its process id. */
export function pidFile({ dataDir }: Pick<Settings, 'dataDir'>): string {
  return join(dataDir, 'berth.pid');
}
