/** Bans and unbans for the operator. Each ban stops what it applies to, and is written to the audit log. */
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { type Ban, type BanKind, banKinds, isImageOf, isWithin, normalSubject } from '../deployment/limits/ban.ts';
import { accountByEmail, accountById } from '../store/accounts.ts';
import { addAuditEntry } from '../store/audit-log.ts';
import { addBan, allBans, removeBan } from '../store/bans.ts';
import type { Database } from '../store/database.ts';
import { type Suspect, suspects } from '../store/origins.ts';
import type { Tables } from '../store/rows.ts';
import { write } from '../store/transaction.ts';
import { type Affected, countAffected } from './affected.ts';
import { stopDeployment } from './stop-deployment.ts';

export type BanLine = { kind: BanKind; subject: string; reason: string; since: string };

type Unbannable = { kind: 'no-account' } | { kind: 'no-subject' } | { kind: 'no-kind'; kinds: readonly string[] };

export type Banned = { kind: 'banned'; subject: string; stopped: string[] } | Unbannable;

export type BanEffect = { kind: 'effect'; subject: string; affected: Affected } | Unbannable;

type BanRequest = { kind: string; subject: string; actor: string; now: Instant };

/** Counts the deployments that such a ban would stop now. Changes nothing. */
export async function effectOfBan(
  db: Kysely<Tables>,
  requested: Pick<BanRequest, 'kind' | 'subject' | 'now'>,
): Promise<BanEffect> {
  const target = await targetOf(db, requested);
  if (target.kind !== 'target') return target;
  return { kind: 'effect', subject: target.shown, affected: countAffected(target.suspects) };
}

/** Refuses new deployments from now on, and stops the ones that it applies to. Their owners read the reason in their events. */
export async function ban(db: Kysely<Tables>, requested: BanRequest & { reason: string }): Promise<Banned> {
  const { reason, actor, now } = requested;
  return await write(db, 'all', async (db): Promise<Banned> => {
    const target = await targetOf(db, requested);
    if (target.kind !== 'target') return target;
    const { ban, shown, suspects } = target;
    await addBan(db, { ...ban, reason, createdAt: now });
    await addAuditEntry(db, { at: now, actor, action: `ban ${ban.kind}`, subject: requested.subject, reason });
    for (const { id } of suspects) await stopDeployment(db, { id, reason, actor, now });
    return { kind: 'banned', subject: shown, stopped: suspects.map(({ id }) => id) };
  });
}

type Target = { kind: 'target'; ban: Pick<Ban, 'kind' | 'subject'>; shown: string; suspects: Suspect[] };

async function targetOf(
  db: Database,
  requested: Pick<BanRequest, 'kind' | 'subject' | 'now'>,
): Promise<Target | Unbannable> {
  const kind = banKinds.find((known) => known === requested.kind);
  if (!kind) return { kind: 'no-kind', kinds: banKinds };
  const subject = await subjectOf(db, kind, requested.subject);
  if (subject === undefined) return { kind: kind === 'account' ? 'no-account' : 'no-subject' };
  const ban = { kind, subject };
  const found = (await suspects(db, requested.now)).filter((suspect) => applies(ban, suspect));
  return { kind: 'target', ban, shown: kind === 'account' ? requested.subject : subject, suspects: found };
}

/** Returns false if the ban does not exist. Stopped deployments stay stopped. */
export async function unban(db: Kysely<Tables>, requested: BanRequest): Promise<boolean> {
  const { actor, now } = requested;
  const kind = banKinds.find((known) => known === requested.kind);
  if (!kind) return false;
  return await write(db, 'all', async (db) => {
    const subject = await subjectOf(db, kind, requested.subject);
    if (subject === undefined) return false;
    if (!(await removeBan(db, { kind, subject }))) return false;
    await addAuditEntry(db, { at: now, actor, action: `unban ${kind}`, subject: requested.subject, reason: '' });
    return true;
  });
}

export async function listBans(db: Kysely<Tables>): Promise<BanLine[]> {
  const lines: BanLine[] = [];
  for (const { kind, subject, reason, createdAt } of await allBans(db)) {
    const account = kind === 'account' ? await accountById(db, subject) : undefined;
    lines.push({ kind, subject: account?.email ?? subject, reason, since: new Date(createdAt).toISOString() });
  }
  return lines;
}

/** The operator enters an e-mail address. The account's ID is stored, because the address may change. */
async function subjectOf(db: Database, kind: BanKind, subject: string): Promise<string | undefined> {
  return kind === 'account' ? (await accountByEmail(db, subject))?.id : normalSubject(kind, subject);
}

function applies({ kind, subject }: Omit<Ban, 'reason'>, suspect: Suspect): boolean {
  if (kind === 'account') return suspect.accountId === subject;
  if (kind === 'image') return suspect.images.some((image) => isImageOf(subject, image));
  // Users with an account are banned by it, because many people may share an address.
  return !suspect.isClaimed && suspect.address !== null && isWithin(subject, suspect.address);
}
