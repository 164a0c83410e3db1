/** Lists all objects of an installation on the in-memory engine, for the sweep. */
import type { Owned } from '../engine.ts';
import { refuseInUse } from './operations.ts';
import { announce, type MemoryWorld, removeNetwork } from './world.ts';

export function removeOwned(world: MemoryWorld, owner: string, { kind, id }: Pick<Owned, 'kind' | 'id'>): void {
  const found = listOwned(world, owner).find((owned) => owned.kind === kind && owned.id === id);
  if (!found) return;
  if (kind === 'volume') refuseInUse(world, id);
  if (kind === 'network') removeNetwork(world, id);
  else (kind === 'workload' ? world.containers : world.volumes).delete(id);
  announce(world, found.deploymentId);
}

export function listOwned(world: MemoryWorld, owner: string): Owned[] {
  return (
    [
      ['workload', world.containers],
      ['volume', world.volumes],
      ['network', world.networks],
    ] as const
  ).flatMap(([kind, objects]) =>
    [...objects].flatMap(([id, object]) =>
      object.owner === owner
        ? [
            {
              kind,
              id,
              name: id,
              deploymentId: object.deploymentId,
              ...('phase' in object && { phase: object.phase }),
              ...('tampering' in object &&
                object.tampering !== undefined &&
                object.tampering !== 'limits' && { tampering: object.tampering }),
              ...('volume' in object && { volume: object.volume }),
              ...('workload' in object && { revision: object.workload.revision }),
              ...(object.epoch !== undefined && { epoch: object.epoch }),
            },
          ]
        : [],
    ),
  );
}
