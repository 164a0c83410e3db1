/** The entry point of this layer: notifies owners of problems with their deployments, by mail and webhook. */

import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Deployment, Instant } from '../deployment/deployment.ts';
import { dashboardPath } from '../deployment/deployment-names.ts';
import { createDialer } from '../images/dialer/dialer.ts';
import { createFairWorker } from '../lib/fair-work.ts';
import { type MailSettings, sendingMail } from '../lib/mail-transport.ts';
import type { Metrics } from '../lib/metrics.ts';
import { runRounds } from '../lib/rounds.ts';
import type { Seal } from '../lib/seal.ts';
import { createDuty } from '../store/duties.ts';
import type { StoreProcess } from '../store/held.ts';
import type { Tables } from '../store/rows.ts';
import { callWebhook } from './call-webhook.ts';
import { deliveryWork } from './deliver.ts';
import { lookForNotices } from './look.ts';

export type NotifyParts = {
  db: Kysely<Tables>;
  seal: Seal;
  now: () => Instant;
  log: Logger;
  process?: StoreProcess | undefined;
  metrics?: Metrics | undefined;
  /** Absent where no mails are sent. */
  mail?: MailSettings | undefined;
};

/** A user may be waiting for a test. */
const roundEveryMs = 1_000;
const lookEveryMs = 15_000;
/** Longer than the slowest call. It is taken again in each round, and a round may have many calls. */
const dutyMs = 60_000;

export function openNotify(
  { baseUrl }: { baseUrl: URL },
  { mail, process, metrics, ...parts }: NotifyParts,
): AsyncDisposable {
  const { db, now, log } = parts;
  const end = new AbortController();
  const dialer = createDialer();
  const urlOf = (deployment: Deployment) => new URL(dashboardPath(deployment), baseUrl).href;
  const duty = createDuty({ db, name: 'notifications', forMs: dutyMs, process, now });
  const delivering = createFairWorker(
    deliveryWork({
      ...parts,
      duty,
      call: (call: Parameters<typeof callWebhook>[1]) => callWebhook(dialer, call),
      sendMail: mail && sendingMail(mail),
      accountUrl: new URL('/account', baseUrl).href,
      stop: end.signal,
    }),
  );
  const onFault = (err: unknown) => log.warn({ err }, 'notifications cannot be sent');
  const common = { signal: end.signal, onFault, metrics };
  const looks = runRounds({
    ...common,
    name: 'notices',
    everyMs: lookEveryMs,
    duty: createDuty({ db, name: 'notices', forMs: dutyMs, process, now }),
    work: () => lookForNotices({ db, now, urlOf }),
  });
  const deliveries = runRounds({ ...common, name: 'notifications', everyMs: roundEveryMs, work: delivering.run });
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await Promise.all([looks, deliveries].map((rounds) => rounds[Symbol.asyncDispose]()));
      await duty.leave().catch(() => {});
      dialer[Symbol.dispose]();
    },
  };
}
