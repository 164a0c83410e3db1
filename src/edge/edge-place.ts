/** Where an edge runs, for others that share its machine, and what those can do about it when it is silent. */

import { mkdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../lib/ids.ts';
import { replaceFile } from '../lib/replace-file.ts';
import type { EdgeRow } from '../store/rows.ts';
import { edgePaths } from './edge-paths.ts';
import { findProxies, killProxies } from './haproxy/haproxy-process.ts';
import { countUnderWay, describeRunning, outlastThreads } from './haproxy/runtime-socket.ts';

/** Of the edge in a data directory: made once, and the same after each start. */
export async function ownEdge(dataDir: string): Promise<Pick<EdgeRow, 'id' | 'machine' | 'directory'>> {
  return { id: await provideEdgeId(dataDir), machine: await machineId(), directory: dataDir };
}

/** The same for processes that see each other: a boot of a machine, and a namespace of process ids in it. */
async function machineId(): Promise<string> {
  const [boot, processes] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    readlink('/proc/self/ns/pid'),
  ]);
  return `${boot.trim()} ${processes}`;
}

async function provideEdgeId(dataDir: string): Promise<string> {
  const paths = edgePaths(dataDir);
  const known = await readFile(join(paths.edge, 'id'), 'utf8').catch(() => '');
  if (known !== '') return known;
  const id = newId();
  await mkdir(paths.edge, { recursive: true, mode: 0o700 });
  await replaceFile(join(paths.edge, 'id'), id);
  return id;
}

/**
 * Makes sure that an edge of this machine which has said nothing for too long sends no request anywhere. One that works
 * refuses by its clock; one that stands still might have looked at its clock before, so it is ended. Its service starts
 * it again.
 */
export async function silence({ directory }: Pick<EdgeRow, 'directory'>, refusesByItself: boolean): Promise<void> {
  const paths = edgePaths(directory);
  const { adminSocket } = paths;
  if (refusesByItself && (await describeRunning(adminSocket)) && (await outlastThreads(adminSocket))) return;
  const killed = new Set(await killProxies(paths));
  // A HAProxy that is restarted at once does not answer before its service allows it.
  while ((await findProxies(paths)).some((pid) => killed.has(pid)))
    await new Promise((resolve) => setTimeout(resolve, 10));
}

/** How many requests to these addresses an edge of this machine is processing. Throws if it cannot be queried. */
export async function countUnderWayAt(
  { directory }: Pick<EdgeRow, 'directory'>,
  addresses: readonly string[],
): Promise<number> {
  const paths = edgePaths(directory);
  if ((await findProxies(paths)).length === 0) return 0;
  return await countUnderWay(paths.adminSocket, addresses);
}
