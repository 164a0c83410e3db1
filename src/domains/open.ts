/** The interface of this layer: custom domains are looked up in DNS regularly and routed accordingly. */
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Instant } from '../deployment/deployment.ts';
import { proofRecord } from '../deployment/domain/domain-proof.ts';
import { afterCheck, type Domain } from '../deployment/domain/domain-state.ts';
import { createFairWorker } from '../lib/fair-work.ts';
import { type MailSettings, sendingMail } from '../lib/mail-transport.ts';
import type { Metrics } from '../lib/metrics.ts';
import { type HeldDuty, runRounds } from '../lib/rounds.ts';
import type { Database } from '../store/database.ts';
import { deploymentById } from '../store/deployments.ts';
import {
  domainOfAccount,
  dueDomains,
  isHeldByOther,
  recordDomainCheck,
  releaseDomain,
  strayDomains,
} from '../store/domains.ts';
import { createDuty, type StoreProcess } from '../store/duties.ts';
import type { Tables } from '../store/rows.ts';
import { write } from '../store/transaction.ts';
import { createLookup, type Lookup } from './lookup.ts';
import { createOwnerNotifier } from './notify-owners.ts';

export type DomainSettings = { domainResolvers: string[] | undefined; appsDomain: string; baseUrl: URL };

export type DomainParts = {
  db: Kysely<Tables>;
  /** The installation's id. */
  owner: string;
  now: () => Instant;
  log: Logger;
  refreshEdge: () => Promise<void>;
  process?: StoreProcess | undefined;
  metrics?: Metrics | undefined;
  /** Absent without mail. */
  mail?: MailSettings | undefined;
};

const lookEveryMs = 2_000;
const dutyMs = 60_000;

/** `wake`: call it after a request about a domain, which may have changed routes. */
export function openDomains(
  { domainResolvers, appsDomain, baseUrl }: DomainSettings,
  { db, owner, now, log, refreshEdge, mail, process, metrics }: DomainParts,
): AsyncDisposable & { wake(): void } {
  const end = new AbortController();
  const { signal } = end;
  const lookup = createLookup({ resolvers: domainResolvers });
  const about = { db, now, installation: owner, appsDomain, log };
  const notifyOwners = mail && createOwnerNotifier({ ...about, baseUrl, send: sendingMail(mail) });
  const duty = createDuty({ db, name: 'domains', forMs: dutyMs, process, now });
  const checking = { ...about, lookup, random: Math.random, duty, notifyOwners, signal };
  const common = { everyMs: lookEveryMs, signal, metrics };
  /** Whether the edge has not read the routes since the last change. */
  let isStale = false;
  const turned = () => {
    isStale = true;
    refreshing.soon();
  };
  const refreshing = runRounds({
    ...common,
    name: 'domain-routes',
    async work() {
      if (!isStale) return;
      // Set before the refresh: a domain that changes during the refresh is handled by the next one.
      isStale = false;
      await refreshEdge().catch((error: unknown) => {
        isStale = true;
        throw error;
      });
    },
    onFault: (err) => log.warn({ err }, 'routes of custom domains cannot be refreshed'),
  });
  const checks = createDomainChecks(checking, turned);
  const checkRounds = runRounds({
    ...common,
    name: 'domains',
    work: checks.run,
    onFault: (err) => log.warn({ err }, 'custom domains cannot be looked up'),
  });
  return {
    wake() {
      turned();
      checks.lookAgain();
      checkRounds.soon();
    },
    async [Symbol.asyncDispose]() {
      end.abort();
      await Promise.all([checkRounds, refreshing].map((rounds) => rounds[Symbol.asyncDispose]()));
      await duty.leave().catch(() => {});
    },
  };
}

/** Looks up due domains and records the results. Only one process on the database does so at a time. */

type Checking = {
  db: Kysely<Tables>;
  lookup: Lookup;
  now: () => Instant;
  random: () => number;
  /** Only one process at a time looks up domains. */
  duty: Pick<HeldDuty, 'take'>;
  signal?: AbortSignal | undefined;
  installation: string;
  appsDomain: string;
  log: { info(details: object, message: string): void; error(details: object, message: string): void };
  /** Absent without mail. */
  notifyOwners?: (() => Promise<void>) | undefined;
};

/** A name server that does not respond occupies a slot for the whole time limit of a lookup. */
const maxAtOnce = 16;
const maxOfAccount = 2;

/** The number of domains that are read per account: those being checked, and the next one. */
const readOfAccount = 2 * maxOfAccount;

type DomainChecks = {
  /** Checks all due domains, with a limit per account. */
  run(): Promise<void>;
  /** More domains may be due. */
  lookAgain(): void;
};

/** `turned`: called when the target of a domain may have changed, while other checks are in progress. */
export function createDomainChecks(checking: Checking, turned: () => void): DomainChecks {
  const { db, now, duty, log, signal } = checking;
  const worker = createFairWorker<Domain>({
    due: async () =>
      (await duty.take()) ? await dueDomains(db, now(), { ofAccount: readOfAccount, limit: 10 * maxAtOnce }) : [],
    keyOf: ({ name, accountId, nextCheckAt }) => `${name} ${accountId} ${nextCheckAt}`,
    clientOf: ({ accountId }) => accountId,
    work: async (domain) => void ((await check(checking, domain)) && turned()),
    most: maxAtOnce,
    maxOfClient: maxOfAccount,
    signal,
  });
  return {
    lookAgain: worker.lookAgain,
    async run() {
      if (!(await duty.take())) return;
      const mayBeStray = (await strayDomains(db, now())).length > 0;
      if (mayBeStray && (await write(db, 'all', (db) => releaseStray(db, now())))) turned();
      await worker.run();
      // A domain that became valid is served even if its owner cannot be notified.
      await checking
        .notifyOwners?.()
        .catch((err: unknown) => log.error({ err }, 'domain owners could not be notified'));
    },
  };
}

/** Reads the domains again, because an account may have moved one to another deployment since. */
async function releaseStray(db: Database, now: Instant): Promise<boolean> {
  const stray = await strayDomains(db, now);
  for (const domain of stray) await releaseDomain(db, domain, { because: 'ended', now });
  return stray.length > 0;
}

async function check(checking: Checking, { name, accountId, deploymentId }: Domain): Promise<boolean> {
  const { db, lookup, now, random, installation, appsDomain, log } = checking;
  const deployment = await deploymentById(db, deploymentId);
  if (!deployment) return false;
  const proof = proofRecord({ installation, accountId, name });
  const found = await lookup({ name, proof, host: `${deployment.label}.${appsDomain}` });
  return await write(db, 'all', async (db) => {
    const domain = await domainOfAccount(db, { name, accountId });
    // A domain that was moved in between must be checked again.
    if (!domain || domain.releasedAt !== null || domain.deploymentId !== deploymentId) return false;
    const isFree = !(await isHeldByOther(db, domain, now()));
    const checked = afterCheck(domain, found, { now: now(), isFree, random: random() });
    await recordDomainCheck(db, domain, checked);
    const isNew = domain.verifiedAt === null && checked.verifiedAt !== null;
    const isLost = checked.releasedAt !== null;
    if (isNew) log.info({ name, deployment: deploymentId }, 'a custom domain was proven');
    if (isLost) log.info({ name, deployment: deploymentId }, 'a custom domain was released: it is not proven');
    return isNew || isLost;
  });
}
