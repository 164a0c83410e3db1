/** The entry point of this layer: notifies owners of problems with their deployments, by mail and webhook. */
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Deployment, Instant } from '../deployment/deployment.ts';
import { dashboardPath } from '../deployment/deployment-names.ts';
import { domainProblem } from '../deployment/domain/domain-problem.ts';
import { type NoticeChannel, noticesOf } from '../deployment/notification/notice.ts';
import { createDialer } from '../images/dialer/dialer.ts';
import { createFairWorker } from '../lib/fair-work.ts';
import { type MailSettings, sendingMail } from '../lib/mail-transport.ts';
import type { Metrics } from '../lib/metrics.ts';
import { runRounds } from '../lib/rounds.ts';
import type { Seal } from '../lib/seal.ts';
import { certificatesOf } from '../store/certificates.ts';
import type { Database } from '../store/database.ts';
import { claimedDeploymentsOfAccount } from '../store/deployments.ts';
import { domainsOfAccount } from '../store/domains.ts';
import { createDuty, type StoreProcess } from '../store/duties.ts';
import {
  accountsWithChoices,
  addNotice,
  type Choices,
  deleteOldNotices,
  newNoticesFor,
  noticeKindsSince,
} from '../store/notifications.ts';
import type { Tables } from '../store/rows.ts';
import { snapshotsOfAccount } from '../store/snapshots.ts';
import { write } from '../store/transaction.ts';
import { callWebhook, deliveryWork } from './deliver.ts';

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
/** Longer than the slowest call. It is renewed in each round, and a round may have many calls. */
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
    work: () => findNotices({ db, now, urlOf }),
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

/** Finds the notices for accounts, and stores them with their deliveries. */

/** If something breaks and recovers repeatedly, only the first notices are sent. */
const maxAnHour = 20;
const hourMs = 60 * 60_000;

/** After this time, the same cause counts as a new one. */
const keptMs = 90 * 24 * hourMs;

type DispatchContext = { db: Kysely<Tables>; now: () => Instant; urlOf: (deployment: Deployment) => string };

export async function findNotices({ db, now, urlOf }: DispatchContext): Promise<void> {
  for (const { accountId, choices } of await accountsWithChoices(db)) {
    const notices = noticesOf(await observe(db, accountId, now()), { urlOf, now: now() });
    const isWanted = (kind: string) => channelsFor(choices, kind).length > 0;
    const recent = (await noticeKindsSince(db, accountId, now() - hourMs)).map(isWanted);
    for (const notice of await newNoticesFor(db, accountId, notices)) {
      const channels = channelsFor(choices, notice.content.kind);
      // Unwanted notices are recorded, too, so that they are not sent late. They do not count toward the limit of
      // wanted ones.
      const wanted = channels.length > 0;
      if (recent.filter((each) => each === wanted).length >= maxAnHour) continue;
      await write(db, 'all', (db) => addNotice(db, accountId, notice, { channels, now: now() }));
      recent.push(wanted);
    }
  }
  await deleteOldNotices(db, now() - keptMs);
}

/** Mails about domains and snapshots are sent by their own workers. */
function channelsFor({ mail, webhook }: Choices, kind: string): NoticeChannel[] {
  const isMailedHere = kind === 'failed' || kind === 'expiring';
  const channels: NoticeChannel[] = [];
  if (isMailedHere && mail.includes(kind)) channels.push('mail');
  if (webhook?.disabledAt === null && webhook.kinds.some((each) => each === kind)) channels.push('webhook');
  return channels;
}

async function observe(db: Database, accountId: string, now: Instant) {
  const deployments = await claimedDeploymentsOfAccount(db, accountId, now);
  const present = new Set(deployments.map(({ id }) => id));
  const domains = (await domainsOfAccount(db, accountId)).filter(({ deploymentId }) => present.has(deploymentId));
  const names = domains.map(({ name }) => name);
  const certificates = names.length > 0 ? await certificatesOf(db, names) : new Map();
  const snapshots = (await snapshotsOfAccount(db, accountId)).filter(({ deploymentId }) => present.has(deploymentId));
  return {
    deployments,
    domains: domains.flatMap((domain) => {
      const trouble = domainProblem(domain, certificates.get(domain.name));
      return trouble === undefined ? [] : [{ domain, trouble }];
    }),
    snapshots: snapshots.filter(({ state }) => state === 'failed'),
  };
}
