/**
 * One bridge network per deployment, with a subnet of Berth's own pool, because Docker's own pools are exhausted after
 * 30 networks.
 */
import { readFile } from 'node:fs/promises';
import type Docker from 'dockerode';
import { type Egress, printEgress } from '../../../deployment/workload/egress.ts';
import type { PodTargets } from '../../../deployment/workload/pod-addresses.ts';
import { EngineFault } from '../../engine.ts';
import { deploymentLabels, epochLabel, isOwnedBy, type Labels, labelKeys } from '../../labels.ts';
import { orAbsent, statusOf, textOf, unless } from '../faults.ts';
import type { Firewall } from '../firewall/firewall.ts';
import { bridgeName, networkName } from '../names.ts';
import { lowestFreeSubnet } from './subnets.ts';

/** Subnets that Docker refuses although no network uses them: those of networks that another process is creating. */
const refusalLimit = 64;

export type Networks = {
  /** Creates a network with a subnet that contains none of the addresses to avoid. */
  create(deploymentId: string, egress: Egress, avoid?: readonly string[]): Promise<void>;
  setEgress(deploymentId: string, egress: Egress): Promise<void>;
  setTargets(deploymentId: string, targets: PodTargets): Promise<void>;
  remove(deploymentId: string): Promise<void>;
};

export type NetworksOptions = {
  owner: string;
  epoch: () => number;
  /** CIDR notation. */
  pool: string;
  /** Absent: containers can reach everything that their machine reaches. */
  firewall?: Firewall | undefined;
};

/** Within this process, subnets of concurrent creations are distinct. */
export function createNetworks(docker: Docker, { owner, epoch, pool, firewall }: NetworksOptions): Networks {
  const promised = new Set<string>();

  async function createWithFreeSubnet(deploymentId: string, egress: Egress, avoid: readonly string[]): Promise<void> {
    const avoided = avoid.map((address) => `${address}/32`);
    const refused: string[] = [];
    while (refused.length < refusalLimit) {
      const taken = subnetsOf(await docker.listNetworks());
      // No await between the choice and the promise: two creations never choose the same.
      const subnet = lowestFreeSubnet(pool, [...taken, ...promised, ...refused, ...avoided]);
      if (!subnet) throw new EngineFault('unavailable', 'This host has no room for another network.');
      promised.add(subnet);
      try {
        const labels = {
          ...deploymentLabels(owner, deploymentId),
          ...epochLabel(epoch()),
          [labelKeys.egress]: printEgress(egress),
        };
        return await createNetwork(docker, { deploymentId, bridge: bridgeName(owner, deploymentId), subnet, labels });
      } catch (error) {
        if (!isSubnetRefusal(error)) throw error;
        refused.push(subnet);
      } finally {
        promised.delete(subnet);
      }
    }
    throw new EngineFault('unavailable', 'The container engine refuses every network of its own pool.');
  }

  async function admit(deploymentId: string, egress: Egress): Promise<void> {
    await firewall?.admit(bridgeName(owner, deploymentId), egress).catch(refusedByFirewall);
  }

  async function requireNetwork(deploymentId: string): Promise<void> {
    const isThere = await isOurs(docker, owner, deploymentId);
    if (!isThere) throw new EngineFault('unavailable', 'The network of the deployment is missing.');
  }

  return {
    async create(deploymentId, egress, avoid = []) {
      if (await isOurs(docker, owner, deploymentId)) return;
      await admit(deploymentId, egress);
      try {
        await createWithFreeSubnet(deploymentId, egress, avoid);
      } catch (error) {
        // Another process was faster and has created the same network.
        if (error instanceof EngineFault || !(await isOurs(docker, owner, deploymentId))) throw error;
      }
      if (firewall) await refuseElsewhere(docker, owner, deploymentId);
    },

    async setEgress(deploymentId, egress) {
      await requireNetwork(deploymentId);
      await admit(deploymentId, egress);
    },

    async setTargets(deploymentId, targets) {
      await requireNetwork(deploymentId);
      await firewall?.retarget(bridgeName(owner, deploymentId), targets).catch(refusedByFirewall);
    },

    async remove(deploymentId) {
      if (await isOurs(docker, owner, deploymentId)) await removeNetwork(docker, networkName(deploymentId));
      await firewall?.dismiss(bridgeName(owner, deploymentId));
    },
  };
}

function refusedByFirewall(cause: unknown): never {
  throw new EngineFault('unavailable', 'The firewall of this host accepts no rules now.', { cause });
}

/** Disconnects all containers from the network, then removes it. The network may already be gone. */
export async function removeNetwork(docker: Docker, name: string): Promise<void> {
  const network = docker.getNetwork(name);
  const found = await orAbsent(network.inspect());
  if (!found) return;
  for (const container of Object.keys(found.Containers ?? {}))
    await unless(network.disconnect({ Container: container, Force: true }), 404);
  await unless(network.remove(), 404);
}

/** The subnet of the deployment's network and the addresses on it now; undefined when it has no network. */
export async function readNetwork(
  docker: Docker,
  deploymentId: string,
): Promise<{ subnet: string; addresses: string[] } | undefined> {
  const network = await orAbsent(docker.getNetwork(networkName(deploymentId)).inspect());
  const subnet = network && subnetsOf([network])[0];
  if (!subnet) return undefined;
  const endpoints = Object.values(network.Containers ?? {});
  return { subnet, addresses: endpoints.map(({ IPv4Address }) => IPv4Address.split('/')[0]!) };
}

async function isOurs(docker: Docker, owner: string, deploymentId: string): Promise<boolean> {
  const name = networkName(deploymentId);
  const network = await orAbsent(docker.getNetwork(name).inspect());
  if (!network) return false;
  if (isOwnedBy(owner, network.Labels)) return true;
  throw new EngineFault(
    'bad-request',
    `A network named ${name} already exists and does not belong to this installation.`,
  );
}

/** The engine may run in another network namespace than this process, in which Berth has no rules. */
async function refuseElsewhere(docker: Docker, owner: string, deploymentId: string): Promise<void> {
  const interfaces = await readFile('/proc/self/net/dev', 'utf8');
  if (interfaces.includes(`${bridgeName(owner, deploymentId)}:`)) return;
  await removeNetwork(docker, networkName(deploymentId));
  throw new EngineFault('unavailable', 'The networks of the container engine are out of reach of the firewall.');
}

async function createNetwork(
  docker: Docker,
  { deploymentId, bridge, subnet, labels }: { deploymentId: string; bridge: string; subnet: string; labels: Labels },
): Promise<void> {
  await docker.createNetwork({
    Name: networkName(deploymentId),
    CheckDuplicate: true,
    Driver: 'bridge',
    // The pool has no IPv6. Without an address, containers have no IPv6 connections.
    EnableIPv6: false,
    IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] },
    Options: { 'com.docker.network.bridge.name': bridge },
    Labels: labels,
  });
}

function subnetsOf(networks: { IPAM?: Docker.IPAM | undefined }[]): string[] {
  return networks.flatMap(({ IPAM }) => IPAM?.Config ?? []).flatMap(({ Subnet }) => Subnet ?? []);
}

/** 403 `Pool overlaps with other one on this address space`, 404 `could not find an available … address pool`. */
function isSubnetRefusal(error: unknown): boolean {
  const status = statusOf(error);
  return (status === 403 || status === 404) && /overlap|address pool/i.test(textOf(error));
}
