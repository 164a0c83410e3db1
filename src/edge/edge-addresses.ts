/**
 * The addresses to which another edge of this machine may send requests, according to its HAProxy. Independent of its
 * service.
 */
import type { EdgeRow } from '../store/rows.ts';
import { edgePaths } from './edge-paths.ts';
import { endpointsMap } from './haproxy/haproxy-configuration.ts';
import { findProxies } from './haproxy/haproxy-process.ts';
import { readMap } from './haproxy/runtime-socket.ts';

/** Throws if HAProxy cannot be queried. */
export async function addressesAt({ directory }: Pick<EdgeRow, 'directory'>): Promise<string[]> {
  const paths = edgePaths(directory);
  if ((await findProxies(paths)).length === 0) return [];
  const endpoints = await readMap(paths.adminSocket, endpointsMap);
  return endpoints.map((entry) => entry.slice(entry.indexOf(' ') + 1, entry.lastIndexOf(':')));
}
