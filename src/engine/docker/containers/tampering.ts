/** Detects and reverts changes that another client of the engine makes to a container, such as a pause or other limits. */
import type Docker from 'dockerode';
import type { HostConfig } from 'dockerode';
import type { Tampering, Workload } from '../../../deployment/workload/workload.ts';
import { type Labels, labelKeys } from '../../labels.ts';
import { unless } from '../faults.ts';
import { networkName } from '../names.ts';

type Limits = Pick<
  HostConfig,
  'Memory' | 'MemorySwap' | 'MemoryReservation' | 'NanoCpus' | 'CpuShares' | 'RestartPolicy'
>;

/** Without a value, Docker gives a container this many. */
const usualCpuShares = 1024;

/** PURE. The limits that `docker update` can change. They are recorded at creation and compared with the current ones. */
export function limitsText(limits: Limits): string {
  const { Memory, MemorySwap, MemoryReservation, NanoCpus, CpuShares, RestartPolicy } = limits;
  const restart = [RestartPolicy?.Name, RestartPolicy?.MaximumRetryCount ?? 0];
  return [Memory, MemorySwap, MemoryReservation, NanoCpus, CpuShares || usualCpuShares, ...restart].join(' ');
}

/** PURE. Returns whether the limits differ from those in a text. A 0 or -1 means that the kernel does not support the limit. */
function areOthers(limits: Limits, text: string): boolean {
  const made = text.split(' ');
  return limitsText(limits)
    .split(' ')
    .some((value, index) => value !== made[index] && !['', '0', '-1'].includes(value));
}

/** PURE. Reads a text that `limitsText` wrote as options of `docker update`. */
function limitsOf(text: string): Limits {
  const [Memory, MemorySwap, MemoryReservation, NanoCpus, CpuShares, Name = '', retries] = text.split(' ');
  return {
    Memory: Number(Memory),
    MemorySwap: Number(MemorySwap),
    MemoryReservation: Number(MemoryReservation),
    NanoCpus: Number(NanoCpus),
    CpuShares: Number(CpuShares),
    RestartPolicy: { Name, MaximumRetryCount: Number(retries) },
  };
}

/** `networks`: names of the networks that the container is connected to. */
type ContainerState = { isPaused: boolean; networks: readonly string[]; deploymentId: string };

/** PURE. Reads tampering from a listing. A container that is not on its own network was disconnected. */
export function findTampering({ isPaused, networks, deploymentId }: ContainerState): Tampering | undefined {
  if (isPaused) return 'paused';
  const own = networkName(deploymentId);
  if (!networks.includes(own)) return 'off-network';
  return networks.length > 1 ? 'on-other-network' : undefined;
}

/** PURE. As `tamperingSeen`, plus the changes that only an inspection shows. Earlier releases recorded no limits. */
export function tamperingOf(found: Docker.ContainerInspectInfo, deploymentId: string): Tampering | undefined {
  const networks = Object.keys(found.NetworkSettings.Networks ?? {});
  const seen = findTampering({ isPaused: found.State.Paused, networks, deploymentId });
  if (seen) return seen;
  const made = (found.Config.Labels as Labels)[labelKeys.limits];
  return made && areOthers(found.HostConfig, made) ? 'limits' : undefined;
}

/** Reverts all tampering with a container in one call. */
export async function undoTampering(
  docker: Docker,
  found: Docker.ContainerInspectInfo,
  deploymentId: string,
  { aliases }: Pick<Workload, 'aliases'>,
): Promise<void> {
  const container = docker.getContainer(found.Id);
  const labels = found.Config.Labels as Labels;
  // 409, 500: it is not paused any more.
  if (found.State.Paused) await unless(container.unpause(), 304, 409, 500);
  const own = networkName(deploymentId);
  const networks = Object.keys(found.NetworkSettings.Networks ?? {});
  const address = labels[labelKeys.address];
  if (!networks.includes(own)) {
    const EndpointConfig = { Aliases: aliases, ...(address && { IPAMConfig: { IPv4Address: address } }) };
    await docker.getNetwork(own).connect({ Container: found.Id, EndpointConfig });
    // gVisor has the network of its start.
    if (found.State.Running && found.HostConfig.Runtime === 'runsc') await container.restart({ t: 0 });
  }
  for (const other of networks.filter((name) => name !== own))
    await unless(docker.getNetwork(other).disconnect({ Container: found.Id, Force: true }), 404);
  const made = labels[labelKeys.limits];
  if (!made || !areOthers(found.HostConfig, made)) return;
  // gVisor keeps the limits from its start, and refuses new limits while it runs.
  const mustStop = found.State.Running && found.HostConfig.Runtime === 'runsc';
  if (mustStop) await unless(container.stop({ t: 0 }), 304);
  await container.update(limitsOf(made));
  if (mustStop) await unless(container.start(), 304);
}
