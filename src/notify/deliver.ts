/** Sends due notifications, by mail and to webhooks. Failed ones are retried a few times, with growing pauses. */

import { createHmac } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { noticeMail } from '../deployment/notification/notice.ts';
import { DialFault } from '../images/dialer/dial-fault.ts';
import { dialWords } from '../images/dialer/dial-words.ts';
import type { Dialer } from '../images/dialer/dialer.ts';
import type { FairWork } from '../lib/fair-work.ts';
import { mailRefusal, type SendMail } from '../lib/mail-transport.ts';
import type { HeldDuty } from '../lib/rounds.ts';
import type { Seal } from '../lib/seal.ts';
import { accountById } from '../store/accounts.ts';
import {
  addNotice,
  type Delivery,
  dueDeliveries,
  endDelivery,
  recordDeliveryAttempt,
  recordWebhookResult,
  removeNotice,
  webhookToCall,
} from '../store/notifications.ts';
import type { Tables } from '../store/rows.ts';
import { write } from '../store/transaction.ts';

export type Delivering = {
  db: Kysely<Tables>;
  seal: Seal;
  now: () => Instant;
  /** Only one process at a time sends. */
  duty: Pick<HeldDuty, 'take'>;
  call: (call: Omit<WebhookCall, 'mayUseListed'>) => Promise<Called>;
  /** Absent where no mails are sent. */
  sendMail: SendMail | undefined;
  /** The URL of the account page in the dashboard. */
  accountUrl: string;
  log: { warn(details: object, message: string): void };
  stop: AbortSignal;
};

/** An address that does not respond occupies a slot for 15 s. */
const maxAtOnce = 16;
const maxOfAccount = 2;
/** The number of deliveries that are read per account: running ones, and the next one. */
const readOfAccount = 2 * maxOfAccount;

/** All due deliveries, with a limit per account. */
export function deliveryWork(delivering: Delivering): FairWork<Delivery> {
  const { db, now, duty, stop } = delivering;
  return {
    due: async () =>
      (await duty.take()) ? await dueDeliveries(db, now(), { ofAccount: readOfAccount, limit: 10 * maxAtOnce }) : [],
    keyOf: ({ noticeId, channel, tries }) => `${noticeId} ${channel} ${tries}`,
    clientOf: ({ accountId }) => accountId,
    work: (delivery) => deliver(delivering, delivery),
    most: maxAtOnce,
    maxOfClient: maxOfAccount,
    signal: stop,
  };
}

async function deliver(delivering: Delivering, delivery: Delivery): Promise<void> {
  const { db, now } = delivering;
  const tries = delivery.tries + 1;
  const next = delivery.content.kind === 'test' ? undefined : nextTryAt(tries, now());
  // If this process ends in between, the last attempt is repeated once.
  const isOurs = await recordDeliveryAttempt(db, delivery, { tries, dueAt: next ?? now() + 60_000 });
  if (!isOurs) return;
  const isTaken = await (delivery.channel === 'mail' ? mail : webhook)(delivering, delivery, next === undefined);
  if (!isTaken && next !== undefined) return;
  // Tests are not deduplicated: the next one is a new notice.
  await (delivery.content.kind === 'test' ? removeNotice : endDelivery)(db, delivery);
}

async function mail({ db, sendMail, log }: Delivering, { accountId, content }: Delivery): Promise<boolean> {
  const account = await accountById(db, accountId);
  if (!sendMail || !account?.isEmailVerified) return true;
  try {
    await sendMail({ to: account.email, ...noticeMail(content) });
    return true;
  } catch (error) {
    const { isForGood, ...answer } = mailRefusal(error);
    log.warn(answer, 'a notification could not be sent by mail');
    return isForGood;
  }
}

async function webhook(delivering: Delivering, delivery: Delivery, isLastTry: boolean): Promise<boolean> {
  const { db, seal, now, call, stop } = delivering;
  const { accountId, noticeId, content, createdAt } = delivery;
  const target = await webhookToCall(db, seal, accountId);
  if (!target) return true;
  const { url, secret } = target;
  const body = JSON.stringify({ id: noticeId, at: new Date(createdAt).toISOString(), ...content });
  const { isTaken, answer } =
    secret === undefined
      ? refuseUnsigned(delivering, accountId)
      : await call({ url, secret, id: noticeId, body, nowMs: now(), signal: stop });
  const noted = { answer, triedAt: now() };
  const at = { accountId, url };
  if (isTaken) await recordWebhookResult(db, at, { ...noted, failures: 0 });
  else if (!isLastTry || content.kind === 'test') await recordWebhookResult(db, at, noted);
  else await recordFailure(delivering, at, noted);
  return isTaken;
}

/** The call is retried like a failed one, because the operator may restore the key. */
function refuseUnsigned({ log }: Delivering, accountId: string): Called {
  log.warn({ account: accountId }, 'the secret of a webhook cannot be opened: it was sealed with another key');
  return {
    isTaken: false,
    answer: 'The service can no longer open the secret of the webhook: save its address again.',
  };
}

/** Counts an abandoned notice. After several in a row, the webhook is disabled, and its owner is notified. */
async function recordFailure(
  { db, seal, now, accountUrl }: Delivering,
  at: { accountId: string; url: string },
  noted: { answer: string; triedAt: Instant },
): Promise<void> {
  await write(db, 'all', async (db) => {
    // Other deliveries may have been abandoned since.
    const target = await webhookToCall(db, seal, at.accountId);
    if (target?.url !== at.url) return;
    const failures = target.failures + 1;
    const isOver = isToBeDisabled(failures);
    await recordWebhookResult(db, at, { ...noted, failures, ...(isOver && { disabledAt: now() }) });
    if (!isOver) return;
    const message = `Your webhook was switched off after ${failures} failed notifications. ${noted.answer}`;
    const content = { kind: 'webhook-disabled', message, url: accountUrl } as const;
    const subject = `webhook-disabled ${now()}`;
    await addNotice(db, at.accountId, { subject, content }, { channels: ['mail'], now: now() });
  });
}

/** Retries of notifications. */

/** Pauses after failed attempts: four more attempts within an hour and a half. */
const pausesMs = [30_000, 2 * 60_000, 15 * 60_000, 70 * 60_000];

/** The number of consecutive notifications, each with all its tries, after which an address is disabled. */
export const failuresToDisable = 5;

/** Returns the time of the next attempt. Undefined without another one. */
function nextTryAt(tries: number, now: Instant): Instant | undefined {
  const pause = pausesMs[tries - 1];
  return pause === undefined ? undefined : now + pause;
}

/** `failures`: consecutive failed notifications, including the current one. */
function isToBeDisabled(failures: number): boolean {
  return failures >= failuresToDisable;
}

/** One webhook call: signed, through the guarded dialer, with a time limit. */

const maxMs = 15_000;

type WebhookCall = {
  url: string;
  secret: string;
  /** The same for each attempt, so that receivers can recognize duplicates. */
  id: string;
  body: string;
  nowMs: number;
  /** Hosts that the operator vouches for. */
  mayUseListed?: boolean;
  signal: AbortSignal;
};

/** `answer`: the result as text. */
type Called = { isTaken: boolean; answer: string };

/**
 * Calls a webhook. Any status from 200 to 299 is a success. The response body is not read. Throws if `signal` aborts.
 */
export async function callWebhook(dialer: Dialer, call: WebhookCall): Promise<Called> {
  const { url, secret, id, body, nowMs, mayUseListed = false } = call;
  const late = AbortSignal.timeout(maxMs);
  try {
    const { status, body: answer } = await dialer.request(new URL(url), {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        [signatureHeader.toLowerCase()]: signWebhook(secret, body, Math.floor(nowMs / 1000)),
        'berth-notification': id,
      },
      mayUseListed,
      signal: AbortSignal.any([late, call.signal]),
    });
    answer.destroy();
    const isTaken = status >= 200 && status < 300;
    const redirects = status >= 300 && status < 400 ? '; redirects are not followed' : '';
    return { isTaken, answer: `The address answered with status ${status}${redirects}.` };
  } catch (error) {
    call.signal.throwIfAborted();
    if (late.aborted) return { isTaken: false, answer: 'The address takes too long to answer.' };
    if (!(error instanceof DialFault) || error.kind === 'too-long') throw error;
    return { isTaken: false, answer: `${error.host} ${dialWords[error.kind]}.` };
  }
}

/** The header that proves the origin of a webhook call: an HMAC of its time and body, with the secret of its owner. */

const signatureHeader = 'Berth-Signature';

/** `t=<seconds since 1970>,v1=<hex of HMAC-SHA256 over "<t>.<body>">`. */
function signWebhook(secret: string, body: string, seconds: number): string {
  const digest = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${digest}`;
}
