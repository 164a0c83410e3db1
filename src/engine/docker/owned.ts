/** Lists all objects of this installation on the engine, for the sweep. */
import type Docker from 'dockerode';
import type { Owned } from '../engine.ts';
import { isOwnedBy, type Labels, labelKeys, labelSelector, readOwnedLabels } from '../labels.ts';
import { phaseOf } from './containers/inspected-state.ts';
import { removeContainer } from './containers/removal.ts';
import { findTampering } from './containers/tampering.ts';
import { orAbsent } from './faults.ts';
import { removeNetwork } from './networks/networks.ts';
import { listVolumes, type Volumes } from './volumes/volumes.ts';

/** Returns workloads first, then volumes and networks, because they can be removed in this order. */
export async function listOwned(docker: Docker, owner: string, held: Pick<Volumes, 'listForgotten'>): Promise<Owned[]> {
  const filters = { label: labelSelector(owner) };
  const [containers, volumes, networks] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    listVolumes(docker, owner),
    docker.listNetworks({ filters }),
  ]);
  const forgotten = await held.listForgotten(volumes);
  return [
    ...containers.map(({ Id, Names, Labels, State, NetworkSettings }) => {
      const workload = owned('workload', Id, Names[0]?.slice(1) ?? Id, Labels);
      const tampering = findTampering({
        isPaused: State === 'paused',
        networks: Object.keys(NetworkSettings.Networks),
        deploymentId: workload.deploymentId,
      });
      return { ...workload, phase: phaseOf(State), ...(tampering && { tampering }) };
    }),
    ...volumes.map(({ Name, Labels }) => {
      const volume = Labels?.[labelKeys.volume];
      return { ...owned('volume', Name, Name, Labels), ...(volume !== undefined && { volume }) };
    }),
    ...forgotten.map(
      ({ name, deploymentId, volume, sizeBytes }): Owned => ({
        kind: 'volume',
        id: name,
        name,
        deploymentId,
        ...(sizeBytes > 0 && { volume }),
      }),
    ),
    ...networks.map(({ Id, Name, Labels }) => owned('network', Id, Name, Labels)),
  ];
}

/** Checks the labels again, because the name may now belong to another container. */
export async function removeOwned(
  docker: Docker,
  owner: string,
  held: Pick<Volumes, 'removeNamed'>,
  { kind, id }: Owned,
): Promise<void> {
  switch (kind) {
    case 'workload': {
      const found = await orAbsent(docker.getContainer(id).inspect());
      if (isOwnedBy(owner, found?.Config.Labels)) await removeContainer(docker, id);
      return;
    }
    case 'volume':
      return held.removeNamed(id);
    case 'group':
      // Namespaces of a cluster alone.
      return;
    case 'network': {
      const found = await orAbsent(docker.getNetwork(id).inspect());
      if (isOwnedBy(owner, found?.Labels)) await removeNetwork(docker, id);
      return;
    }
  }
}

function owned(kind: Owned['kind'], id: string, name: string, labels: Labels | null | undefined): Owned {
  return { kind, id, name, deploymentId: labels?.[labelKeys.deployment] ?? '', ...readOwnedLabels(labels) };
}
