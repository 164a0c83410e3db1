/** Objects on a cluster for copies of volumes, in one namespace: as `Kind name`. */
import { type Cluster, pathOf } from '../../src/engine/kubernetes/cluster.ts';
import { ClusterRefusal } from '../../src/engine/kubernetes/faults.ts';
import { copyKey } from '../../src/engine/kubernetes/manifests/marks.ts';
import type { Found } from '../../src/engine/kubernetes/objects.ts';

const kinds = ['Job', 'Pod', 'PersistentVolumeClaim', 'Deployment', 'VolumeSnapshot'] as const;

export async function copiesIn(cluster: Cluster, namespace: string): Promise<string[]> {
  const query = { labelSelector: copyKey };
  const lists = await Promise.all(
    kinds.map((kind) =>
      cluster
        .request<{ items: Found[] }>('GET', pathOf(kind, undefined, namespace), { query })
        .catch((error: unknown) => {
          // A cluster of itself does not know them.
          if (kind === 'VolumeSnapshot' && error instanceof ClusterRefusal && error.status === 404)
            return { items: [] };
          throw error;
        }),
    ),
  );
  return lists.flatMap(({ items }, index) => items.map(({ metadata }) => `${kinds[index]} ${metadata.name}`));
}
