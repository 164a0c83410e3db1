/** Notifications: the choices of accounts, the notices sent, and the deliveries that are still due. */
import type { Instant } from '../deployment/deployment.ts';
import {
  type Notice,
  type NoticeChannel,
  type NoticeContent,
  type NoticeKind,
  noticeKinds,
} from '../deployment/notification/notice.ts';
import { newId } from '../lib/ids.ts';
import type { Seal } from '../lib/seal.ts';
import { chunksOf } from './chunks.ts';
import type { Database } from './database.ts';
import { orderFairly } from './fair-order.ts';

export type Webhook = {
  url: string;
  kinds: NoticeKind[];
  /** Notices in a row that it did not take. */
  failures: number;
  /** When the webhook was disabled after repeated failures. */
  disabledAt: Instant | null;
  /** The result of the last attempt, as text. */
  answer: string | null;
  triedAt: Instant | null;
  /** Sealed. */
  secret: Uint8Array | null;
};

export type Choices = { mail: NoticeKind[]; webhook: Webhook | undefined };

/** The default. */
const usualMail: NoticeKind[] = ['domain', 'snapshot'];

export async function choicesOf(db: Database, accountId: string): Promise<Choices> {
  const row = await choices(db).where('accountId', '=', accountId).executeTakeFirst();
  return row ? fromRow(row) : { mail: usualMail, webhook: undefined };
}

export async function wantsMail(db: Database, accountId: string, kind: NoticeKind): Promise<boolean> {
  return (await choicesOf(db, accountId)).mail.includes(kind);
}

export async function setMailKinds(db: Database, accountId: string, mail: readonly NoticeKind[]): Promise<void> {
  await put(db, accountId, { mail: JSON.stringify(mail) });
}

/** `secret`: for a new address. Setting a webhook resets its failures. */
export async function setWebhook(
  db: Database,
  seal: Seal,
  accountId: string,
  { url, kinds, secret }: Pick<Webhook, 'url' | 'kinds'> & { secret: string | undefined },
): Promise<void> {
  await put(db, accountId, {
    webhookUrl: url,
    webhook: JSON.stringify(kinds),
    ...unproven,
    ...(secret !== undefined && { webhookSecret: seal.close(secret), webhookAnswer: null, webhookTriedAt: null }),
  });
}

export async function removeWebhook(db: Database, accountId: string): Promise<void> {
  const nothing = { webhookUrl: null, webhookSecret: null, webhookAnswer: null, webhookTriedAt: null };
  await put(db, accountId, { ...nothing, ...unproven, webhook: '[]' });
}

const unproven = { webhookFailures: 0, webhookDisabledAt: null };

/** The webhook's address and failure count. Undefined without an address or if it is disabled. */
export async function webhookToCall(
  db: Database,
  seal: Seal,
  accountId: string,
): Promise<{ url: string; secret: string | undefined; failures: number } | undefined> {
  const { webhook } = await choicesOf(db, accountId);
  if (!webhook || webhook.disabledAt !== null) return undefined;
  return { url: webhook.url, secret: openedSecret(webhook, seal), failures: webhook.failures };
}

/** Undefined where no key opens it any more. */
export function openedSecret({ secret }: Pick<Webhook, 'secret'>, seal: Seal): string | undefined {
  try {
    return secret === null ? undefined : seal.open(secret);
  } catch {
    return undefined;
  }
}

/** Records the result of a call, if the webhook still has the address that was called. */
export async function recordWebhookResult(
  db: Database,
  { accountId, url }: { accountId: string; url: string },
  noted: { answer: string; triedAt: Instant; failures?: number; disabledAt?: Instant },
): Promise<void> {
  const { answer, triedAt, failures, disabledAt } = noted;
  await db
    .updateTable('notificationChoices')
    .set({
      webhookAnswer: answer,
      webhookTriedAt: triedAt,
      ...(failures !== undefined && { webhookFailures: failures }),
      ...(disabledAt !== undefined && { webhookDisabledAt: disabledAt }),
    })
    .where('accountId', '=', accountId)
    .where('webhookUrl', '=', url)
    .execute();
}

/** All accounts with choices. */
export async function accountsWithChoices(db: Database): Promise<{ accountId: string; choices: Choices }[]> {
  const rows = await choices(db).execute();
  return rows.map((row) => ({ accountId: row.accountId, choices: fromRow(row) }));
}

/** Returns false if the notice was already added. In a transaction. */
export async function addNotice(
  db: Database,
  accountId: string,
  { subject, content }: Notice,
  { channels, now }: { channels: readonly NoticeChannel[]; now: Instant },
): Promise<boolean> {
  const id = newId();
  const result = await db
    .insertInto('notices')
    .values({ id, accountId, subject, content: JSON.stringify(content), createdAt: now })
    .onConflict((conflict) => conflict.columns(['accountId', 'subject']).doNothing())
    .executeTakeFirst();
  if ((result.numInsertedOrUpdatedRows ?? 0n) === 0n) return false;
  if (channels.length > 0)
    await db
      .insertInto('noticeDeliveries')
      .values(channels.map((channel) => ({ noticeId: id, channel, dueAt: now, tries: 0 })))
      .execute();
  return true;
}

/** The notices that the account has not received yet. */
export async function newNoticesFor(db: Database, accountId: string, notices: readonly Notice[]): Promise<Notice[]> {
  const reported = new Set<string>();
  for (const some of chunksOf(notices.map(({ subject }) => subject))) {
    const rows = await db
      .selectFrom('notices')
      .select('subject')
      .where('accountId', '=', accountId)
      .where('subject', 'in', some)
      .execute();
    for (const { subject } of rows) reported.add(subject);
  }
  return notices.filter(({ subject }) => !reported.has(subject));
}

/** The kinds of notifications that an account has had since. */
export async function noticeKindsSince(
  db: Database,
  accountId: string,
  since: Instant,
): Promise<NoticeContent['kind'][]> {
  const rows = await db
    .selectFrom('notices')
    .select('content')
    .where('accountId', '=', accountId)
    .where('createdAt', '>', since)
    .execute();
  return rows.map(({ content }) => (JSON.parse(content) as NoticeContent).kind);
}

export type Delivery = {
  noticeId: string;
  channel: NoticeChannel;
  accountId: string;
  tries: number;
  content: NoticeContent;
  createdAt: Instant;
};

/** The first `ofAccount` of each account that are due, at most `limit`: the first of every account before any second. */
export async function dueDeliveries(
  db: Database,
  now: Instant,
  { ofAccount, limit }: { ofAccount: number; limit: number },
): Promise<Delivery[]> {
  const rows = await db
    .with('due', (db) =>
      db
        .selectFrom('noticeDeliveries')
        .innerJoin('notices', 'notices.id', 'noticeDeliveries.noticeId')
        .select(['noticeId', 'channel', 'tries', 'accountId', 'content', 'createdAt', 'dueAt'])
        .select(orderFairly('accountId', 'dueAt'))
        .where('dueAt', '<=', now),
    )
    .selectFrom('due')
    .select(['noticeId', 'channel', 'tries', 'accountId', 'content', 'createdAt'])
    .where('place', '<=', ofAccount)
    .orderBy('place')
    .orderBy('dueAt')
    .limit(limit)
    .execute();
  return rows.map(({ content, ...row }) => ({ ...row, content: JSON.parse(content) }));
}

type DeliveryKey = Pick<Delivery, 'noticeId' | 'channel'>;

/**
 * Records an attempt before it is made, so that a process that crashes in it does not repeat it forever. Returns false
 * if another process has recorded it.
 */
export async function recordDeliveryAttempt(
  db: Database,
  { noticeId, channel, tries }: DeliveryKey & Pick<Delivery, 'tries'>,
  next: { tries: number; dueAt: Instant },
): Promise<boolean> {
  const result = await db
    .updateTable('noticeDeliveries')
    .set(next)
    .where('noticeId', '=', noticeId)
    .where('channel', '=', channel)
    .where('tries', '=', tries)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** The notice was sent, or given up. */
export async function endDelivery(db: Database, { noticeId, channel }: DeliveryKey): Promise<void> {
  await db.deleteFrom('noticeDeliveries').where('noticeId', '=', noticeId).where('channel', '=', channel).execute();
}

/** Removes the notice with its pending deliveries. */
export async function removeNotice(db: Database, { noticeId }: Pick<Delivery, 'noticeId'>): Promise<void> {
  await db.deleteFrom('notices').where('id', '=', noticeId).execute();
}

/** Deletes the notices from before a time. */
export async function deleteOldNotices(db: Database, before: Instant): Promise<void> {
  await db.deleteFrom('notices').where('createdAt', '<', before).execute();
}

function choices(db: Database) {
  return db.selectFrom('notificationChoices').selectAll();
}

type Row = Awaited<ReturnType<ReturnType<typeof choices>['executeTakeFirstOrThrow']>>;

function fromRow(row: Row): Choices {
  const { webhookUrl: url, webhookFailures: failures, webhookDisabledAt: disabledAt } = row;
  const { webhookAnswer: answer, webhookTriedAt: triedAt, webhookSecret: secret } = row;
  const webhook =
    url === null ? undefined : { url, kinds: kindsIn(row.webhook), failures, disabledAt, answer, triedAt, secret };
  return { mail: kindsIn(row.mail), webhook };
}

/** Parses the kinds. Kinds of newer versions are skipped. */
function kindsIn(text: string): NoticeKind[] {
  const known: unknown[] = JSON.parse(text);
  return noticeKinds.filter((kind) => known.includes(kind));
}

async function put(db: Database, accountId: string, fields: Partial<Omit<Row, 'accountId'>>): Promise<void> {
  const none = { webhookUrl: null, webhookSecret: null, webhookAnswer: null, webhookTriedAt: null, ...unproven };
  await db
    .insertInto('notificationChoices')
    .values({ accountId, mail: JSON.stringify(usualMail), webhook: '[]', ...none, ...fields })
    .onConflict((conflict) => conflict.column('accountId').doUpdateSet(fields))
    .execute();
}
