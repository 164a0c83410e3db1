/**
 * Looks a custom domain up in DNS. Its own name servers decide whether it is verified, because resolvers cache missing
 * records. The operator's resolvers decide where it leads. All answers are untrusted: a server is only queried at a
 * public address, with limits on servers, queries and total time. The resolvers follow and limit chains of aliases; a
 * DNS message has at most 64 KiB.
 */
import { Resolver } from 'node:dns/promises';
import {
  type Addresses,
  type Direction,
  directionOf,
  type Finding,
  type ProofAnswer,
  proofOutcome,
} from '../deployment/domain/domain-finding.ts';
import { registrableOf } from '../deployment/domain/domain-name.ts';
import type { ProofRecord } from '../deployment/domain/domain-proof.ts';
import { addressesOfThisMachine, isPublic } from '../images/dialer/public-addresses.ts';
import { printable } from '../lib/printable.ts';

export type LookupOptions = {
  /** `address` or `address:port`. Undefined: the resolvers of this machine. */
  resolvers: readonly string[] | undefined;
  /** For tests: whether a name server at this address may be queried, and its port. */
  isAllowed?: (address: string) => boolean;
  serverPort?: number;
  /** The time limit of the whole lookup. */
  limitMs?: number;
};

/** `host`: the deployment's own host, which leads here. */
export type DomainQuery = { name: string; proof: ProofRecord; host: string };

/** Never rejects. */
export type Lookup = (requested: DomainQuery) => Promise<Finding>;

const maxServers = 3;
const maxZones = 5;
const maxAddresses = 20;
const maxShown = 3;
const longestShown = 80;
const patience = { timeout: 2_000, tries: 2 };

export function createLookup(options: LookupOptions): Lookup {
  const { resolvers, isAllowed = isPublicHere, serverPort = 53, limitMs = 12_000 } = options;

  return async ({ name, proof, host }) => {
    const open: Resolver[] = [];
    const asking = (servers: readonly string[] | undefined) => {
      const resolver = new Resolver(patience);
      if (servers) resolver.setServers(servers);
      open.push(resolver);
      return resolver;
    };
    let isOver = false;
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const limit = setTimeout(() => {
      isOver = true;
      for (const resolver of open) resolver.cancel();
      end();
    }, limitMs);
    /** Returns `late` when the time is over, even if the work is still waiting. */
    const inTime = <T>(work: Promise<T>, late: T): Promise<T> => Promise.race([work, over.then(() => late)]);
    const common = asking(resolvers);

    async function atServer(server: string): Promise<ProofAnswer> {
      const [address] = await addressesOf(common, server).then(
        ({ found }) => found,
        () => [],
      );
      if (address === undefined) return { server, said: 'failed', because: 'has no address' };
      if (!isAllowed(address)) return { server, said: 'failed', because: 'has no public address' };
      if (isOver) return failed(server, cancelled);
      const at = address.includes(':') ? `[${address}]:${serverPort}` : `${address}:${serverPort}`;
      return await findProof(asking([at]), server, proof);
    }

    async function proofAnswers(): Promise<ProofAnswer[]> {
      const servers = await inTime(nameServers(common, name, () => isOver).catch(codeOf), cancelled);
      if (typeof servers === 'string') return [failed('the resolver', servers)];
      const requested = servers.slice(0, maxServers);
      const answers = await Promise.all(requested.map((server) => inTime(atServer(server), failed(server, cancelled))));
      if (proofOutcome(answers) !== 'unanswered' || isOver) return answers;
      const last = 'the resolver';
      return [...answers, await inTime(findProof(common, last, proof), failed(last, cancelled))];
    }

    const addresses = (of: string) => inTime<Addresses | string>(addressesOf(common, of).catch(codeOf), cancelled);

    try {
      const [answers, led, wanted] = await Promise.all([
        proofAnswers(),
        addresses(name),
        isLoopback(host) ? loopback : addresses(host),
      ]);
      const found = typeof wanted === 'string' ? [] : [...wanted.found];
      return { proof: answers, direction: direction(led, wanted), wanted: found };
    } finally {
      clearTimeout(limit);
    }
  };
}

/**
 * The name servers of the zone that contains the name: its own or a parent. For an alias, the zone is a parent, because
 * a resolver would follow the alias and return the name servers of its target. Throws if it is unknown whether a name
 * is an alias.
 */
async function nameServers(resolver: Resolver, name: string, isOver: () => boolean): Promise<string[]> {
  for (const zone of zonesOf(name)) {
    if (isOver()) return [];
    if (await isAlias(resolver, zone)) continue;
    const servers = await resolver.resolveNs(zone).catch(() => []);
    if (servers.length > 0) return servers.toSorted();
  }
  return [];
}

async function isAlias(resolver: Resolver, name: string): Promise<boolean> {
  try {
    return (await resolver.resolveCname(name)).length > 0;
  } catch (error) {
    if (isNothing(codeOf(error))) return false;
    throw error;
  }
}

/** Returns the name and its parents, up to the registrable domain. */
function zonesOf(name: string): string[] {
  const top = registrableOf(name) ?? name;
  const above = name.slice(0, -top.length).split('.').filter(Boolean);
  return [...above.map((_, index) => [...above.slice(index), top].join('.')), top].slice(-maxZones);
}

async function findProof(resolver: Resolver, server: string, { name, value }: ProofRecord): Promise<ProofAnswer> {
  const shown = printable(server).slice(0, longestShown);
  try {
    const records = (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
    if (records.some((record) => record.trim() === value)) return { server: shown, said: 'proof' };
    const found = records.slice(0, maxShown).map((record) => printable(record.slice(0, longestShown)));
    return found.length > 0
      ? { server: shown, said: 'other', found, count: records.length }
      : { server: shown, said: 'nothing' };
  } catch (error) {
    const code = codeOf(error);
    if (isNothing(code)) return { server: shown, said: 'nothing' };
    return failed(server, code);
  }
}

function failed(server: string, code: string): ProofAnswer {
  return { server: printable(server).slice(0, longestShown), said: 'failed', because: reasonOf(code) };
}

/** Returns the addresses, IPv4 first. Throws if both lookups failed. */
async function addressesOf(resolver: Resolver, name: string): Promise<Addresses> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const failed = answers.find((answer) => answer.status === 'rejected' && !isNothing(codeOf(answer.reason)));
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length === 0 && failed?.status === 'rejected') throw failed.reason;
  return { found: addresses.slice(0, maxAddresses), isWhole: failed === undefined };
}

/** Compares the addresses. A text is the error code of a failed lookup. */
function direction(led: Addresses | string, wanted: Addresses | string): Direction {
  if (typeof led === 'string') return { kind: 'unknown', because: `its name server ${reasonOf(led)}` };
  if (typeof wanted === 'string' || wanted.found.length === 0)
    return { kind: 'unknown', because: 'the addresses of this service are not in DNS' };
  return directionOf(led, wanted);
}

function isPublicHere(address: string): boolean {
  return isPublic(address, addressesOfThisMachine());
}

const loopback: Addresses = { found: ['127.0.0.1', '::1'], isWhole: true };

function isLoopback(host: string): boolean {
  return host.endsWith('.localhost');
}

function isNothing(code: string): boolean {
  return code === 'ENODATA' || code === 'ENOTFOUND';
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}

const cancelled = 'ECANCELLED';

const reasons: Record<string, string> = {
  ETIMEOUT: 'does not answer',
  ECANCELLED: 'does not answer in time',
  ESERVFAIL: 'fails (SERVFAIL)',
  EREFUSED: 'refuses to answer',
  ECONNREFUSED: 'is not there',
  EBADRESP: 'gives an invalid answer',
};

function reasonOf(code: string): string {
  return reasons[code] ?? `does not answer (${printable(code)})`;
}
