/** The door of this layer: custom domains are looked up in DNS again and again, and lead where that says. */
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Instant } from '../deployment/deployment.ts';
import { type MailSettings, sendingMail } from '../lib/mail-transport.ts';
import type { Metrics } from '../lib/metrics.ts';
import { runRounds } from '../lib/rounds.ts';
import { createDuty } from '../store/duties.ts';
import type { StoreProcess } from '../store/held.ts';
import type { Tables } from '../store/rows.ts';
import { createDomainChecks } from './check-domains.ts';
import { createLookup } from './lookup.ts';
import { createTellOwners } from './tell-owners.ts';

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

/** `look`: call it after a request about a domain, which may have changed routes. */
export function openDomains(
  { domainResolvers, appsDomain, baseUrl }: DomainSettings,
  { db, owner, now, log, refreshEdge, mail, process, metrics }: DomainParts,
): AsyncDisposable & { look(): void } {
  const end = new AbortController();
  const { signal } = end;
  const lookup = createLookup({ resolvers: domainResolvers });
  const about = { db, now, installation: owner, appsDomain, log };
  const tellOwners = mail && createTellOwners({ ...about, baseUrl, send: sendingMail(mail) });
  const duty = createDuty({ db, name: 'domains', forMs: dutyMs, process, now });
  const checking = { ...about, lookup, random: Math.random, duty, tellOwners, signal };
  const common = { everyMs: lookEveryMs, signal, metrics };
  /** Until the edge has read the routes after the last change. */
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
      // Before the refresh: a domain that changes during the refresh belongs to the next one.
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
    look() {
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
