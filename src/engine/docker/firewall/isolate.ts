/** Isolates the containers of this installation from this machine and its networks, and tests the isolation. */

import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { type Egress, parseEgress } from '../../../deployment/workload/egress.ts';
import { parseObject } from '../../../lib/json.ts';
import { replaceFile } from '../../../lib/replace-file.ts';
import { ProgramError } from '../../../lib/run-program.ts';
import { labelKeys, labelSelector } from '../../labels.ts';
import { isLocal } from '../host/host-facts.ts';
import { bridgeName } from '../names.ts';
import { type Firewall, type FirewallOptions, startFirewall } from './firewall.ts';
import { apply, list } from './nft.ts';
import { removalText, tableName } from './rules.ts';
import { checkFromInside } from './self-check.ts';

export type Isolation = {
  /** Absent if the rules cannot be put in force at all. */
  firewall?: Firewall;
  /** Why containers of different owners are not isolated, or why this is unknown, and how to fix it. */
  problem?: string;
};

/** The file with the rules, below the data directory. */
export function rulesFile(dataDir: string): string {
  return join(dataDir, 'firewall.nft');
}

export type IsolationOptions = Omit<FirewallOptions, 'readResolvers' | 'readBridges' | 'answersAll' | 'saveRules'> & {
  /** For networks without a label of their egress. */
  egress: Egress;
  /** The only name servers of containers. Absent: those of the engine. */
  resolvers: string[] | undefined;
  dataDir: string;
};

export async function isolate(docker: Docker, options: IsolationOptions): Promise<Isolation> {
  const { owner, egress, dataDir, resolvers } = options;
  // The file is complete at the next boot, even if the machine crashes now.
  const saveRules = (rules: string) => replaceFile(rulesFile(dataDir), rules, { flush: true });
  if (!isLocal(docker))
    return { problem: 'the engine at DOCKER_HOST may be on another machine, whose firewall Berth cannot control' };
  let firewall: Firewall | undefined;
  try {
    const requested = resolvers
      ? { readResolvers: async () => resolvers, answersAll: resolvers[0] }
      : { readResolvers };
    const readBridges = () => presentBridges(docker, owner, egress);
    firewall = await startFirewall({ ...options, saveRules, readBridges, ...requested });
    const wrong = await checkFromInside(owner);
    return { firewall, ...(wrong && { problem: wrong }) };
  } catch (error) {
    if (!(error instanceof ProgramError)) {
      await firewall?.close();
      throw error;
    }
    return { ...(firewall && { firewall }), problem: isolationMessage(error) };
  }
}

/** Removes the rules that `isolate` has created, if any. Throws ProgramError. */
export async function endIsolation(owner: string, dataDir: string): Promise<void> {
  // Without this file there were never any rules, and looking for them may need privileges that this process lacks.
  if (!existsSync(rulesFile(dataDir))) return;
  await removeFirewall(owner);
  await rm(rulesFile(dataDir));
}

/** Removes the rules from the kernel, if any. Throws ProgramError. */
export async function removeFirewall(owner: string): Promise<void> {
  if ((await list(tableName(owner))) !== undefined) await apply(removalText(owner));
}

/** Containers keep running while the service is stopped, and start with the engine before the service does. */
export async function presentBridges(docker: Docker, owner: string, egress: Egress): Promise<Map<string, Egress>> {
  const networks = await docker.listNetworks({ filters: { label: labelSelector(owner) } });
  return new Map(
    networks.map(({ Labels }) => {
      const own = parseEgress(Labels?.[labelKeys.egress] ?? '');
      return [bridgeName(owner, Labels?.[labelKeys.deployment] ?? ''), own ?? egress];
    }),
  );
}

/** Packages by the program that each contains. Debian, Fedora and Arch use the same names. */
const packages: Record<string, string> = { nft: 'nftables', ip: 'iproute2 (Fedora: iproute)', unshare: 'util-linux' };

/** PURE. The problem and how to fix it. */
export function isolationMessage({ message, missing }: Pick<ProgramError, 'message' | 'missing'>): string {
  if (missing === 'sudo') return 'it requires root, or sudo without a password';
  if (missing !== undefined) return `${missing} is not installed: install ${packages[missing] ?? missing}`;
  if (/not permitted|must be root|password is required/i.test(message)) return `it takes root (${message})`;
  return message;
}

/**
 * The name servers of the engine. It queries them from inside the containers' networks, so the rules must allow that.
 * Most machines' resolvers have private addresses.
 */

const hostFile = '/etc/resolv.conf';

/** If a machine's resolver is on loopback, systemd lists its upstream servers here, and Docker uses them. */
const systemdFile = '/run/systemd/resolve/resolv.conf';
const engineFile = '/etc/docker/daemon.json';

/** IPv4 addresses, sorted. Servers on loopback are queried from outside the containers' networks. */
async function readResolvers(): Promise<string[]> {
  const [host, systemd, engine] = await Promise.all([hostFile, systemdFile, engineFile].map(readIfThere));
  return resolversIn(host!, systemd!, engine!);
}

/** PURE. From the texts of the files; empty for one that is not there. */
export function resolversIn(host: string, systemd: string, engine: string): string[] {
  const all = [...serversIn(host), ...serversIn(systemd), ...dnsOf(engine)];
  return [...new Set(all)].filter((address) => isIPv4(address) && !address.startsWith('127.')).sort();
}

function serversIn(text: string): string[] {
  return [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address]) => address!);
}

function dnsOf(text: string): string[] {
  // If the file is missing or invalid, the result is empty. Docker does not start with an invalid one.
  const { dns } = parseObject(text);
  return Array.isArray(dns) ? dns.filter((address) => typeof address === 'string') : [];
}

async function readIfThere(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch(() => '');
}
