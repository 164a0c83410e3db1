/** The door of this layer: owners are told what goes wrong with their deployments, by mail and webhook. */

import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Deployment, Instant } from '../deployment/deployment.ts';
import { dashboardPath } from '../deployment/deployment-names.ts';
import { createDialer } from '../images/dialer/dialer.ts';
import { reportingFirstFault } from '../lib/first-fault.ts';
import { newId } from '../lib/ids.ts';
import { type MailSettings, sendingMail } from '../lib/mail-transport.ts';
import type { Seal } from '../lib/seal.ts';
import { wait } from '../lib/wait.ts';
import { leaveDuties, takeDuty } from '../store/duties.ts';
import type { Tables } from '../store/rows.ts';
import { callWebhook } from './call-webhook.ts';
import { deliverDue } from './deliver.ts';
import { lookForNotices } from './look.ts';

export type NotifyParts = {
  db: Kysely<Tables>;
  seal: Seal;
  now: () => Instant;
  log: Logger;
  /** Absent where no mails are sent. */
  mail?: MailSettings | undefined;
};

/** Somebody may wait for a test. */
const roundEveryMs = 1_000;
const lookEveryMs = 15_000;
/** Longer than the slowest call. */
const dutyMs = 60_000;

export function openNotify({ baseUrl }: { baseUrl: URL }, { mail, ...parts }: NotifyParts): AsyncDisposable {
  const { db, now, log } = parts;
  const end = new AbortController();
  const dialer = createDialer();
  const holder = newId();
  const urlOf = (deployment: Deployment) => new URL(dashboardPath(deployment), baseUrl).href;
  const delivering = {
    ...parts,
    call: (call: Parameters<typeof callWebhook>[1]) => callWebhook(dialer, call),
    sendMail: mail && sendingMail(mail),
    accountUrl: new URL('/account', baseUrl).href,
    stop: end.signal,
  };
  let lookedAt = Number.NEGATIVE_INFINITY;
  const round = reportingFirstFault(
    async () => {
      if (!(await takeDuty(db, { name: 'notifications', holder, now: now(), forMs: dutyMs }))) return;
      if (performance.now() - lookedAt >= lookEveryMs) {
        lookedAt = performance.now();
        await lookForNotices({ db, now, urlOf });
      }
      await deliverDue(delivering);
    },
    (err) => end.signal.aborted || log.warn({ err }, 'notifications cannot be sent'),
  );
  const rounds = (async () => {
    while (!end.signal.aborted) {
      await round();
      await wait(roundEveryMs, end.signal);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await rounds;
      dialer[Symbol.dispose]();
      await leaveDuties(db, holder).catch(() => {});
    },
  };
}
