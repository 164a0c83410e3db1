/** The door of this layer: custom domains are looked up in DNS again and again, and lead where that says. */
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Instant } from '../deployment/deployment.ts';
import { reportingFirstFault } from '../lib/first-fault.ts';
import { newId } from '../lib/ids.ts';
import { type MailSettings, sendingMail } from '../lib/mail-transport.ts';
import { wait } from '../lib/wait.ts';
import { leaveDuties } from '../store/duties.ts';
import type { Tables } from '../store/rows.ts';
import { checkDomains } from './check-domains.ts';
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
  /** Absent where nobody is told by mail. */
  mail?: MailSettings | undefined;
};

const lookEveryMs = 2_000;

/** `look`: something was asked of a domain, and routes may have changed with it. */
export function openDomains(
  { domainResolvers, appsDomain, baseUrl }: DomainSettings,
  { db, owner, now, log, refreshEdge, mail }: DomainParts,
): AsyncDisposable & { look(): void } {
  const end = new AbortController();
  const holder = newId();
  const lookup = createLookup({ resolvers: domainResolvers });
  const about = { db, now, installation: owner, appsDomain, log };
  const tellOwners = mail && createTellOwners({ ...about, baseUrl, send: sendingMail(mail) });
  const checking = { ...about, lookup, random: Math.random, holder, tellOwners };
  let isAsked = false;
  /** Until the edge has read the routes after the last that was asked. */
  let isStale = false;
  let pause = new AbortController();
  async function refresh(): Promise<void> {
    await refreshEdge();
    isStale = false;
  }
  const round = reportingFirstFault(
    async () => {
      // Before the refresh: what is asked meanwhile is for the next round.
      isStale ||= isAsked;
      isAsked = false;
      if (isStale) await refresh();
      isStale = await checkDomains(checking);
      if (isStale) await refresh();
    },
    (err) => log.warn({ err }, 'custom domains cannot be looked after'),
  );
  const rounds = (async () => {
    while (!end.signal.aborted) {
      const wentWell = await round();
      await wait(lookEveryMs, wentWell ? AbortSignal.any([end.signal, pause.signal]) : end.signal);
      pause = new AbortController();
    }
  })();
  return {
    look() {
      isAsked = true;
      pause.abort();
    },
    async [Symbol.asyncDispose]() {
      end.abort();
      await rounds;
      await leaveDuties(db, holder).catch(() => {});
    },
  };
}
