/**
 * Removes objects that interrupted test runs have left on the cluster. Each object that outlives its process names it.
 */
import type { Cluster } from '../../src/engine/kubernetes/cluster.ts';
import { isAlive } from '../../src/lib/is-alive.ts';

const key = 'berth.test/process';

export const processLabels = { [key]: String(process.pid) };

type Found = { metadata: { name: string; labels: Record<string, string> } };

/** Removes objects at this path of the API whose process has ended. */
export async function removeLeft(cluster: Cluster, path: string): Promise<void> {
  const { items } = await cluster.request<{ items: Found[] }>('GET', path, { query: { labelSelector: key } });
  // One that another run removes at the same moment is gone, too.
  for (const { metadata } of items)
    if (!isAlive(Number(metadata.labels[key])))
      await cluster.request('DELETE', `${path}/${metadata.name}`).catch(() => undefined);
}
