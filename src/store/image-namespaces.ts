/** Namespaces of pushed images: their owners, their content, and their users. */
import type { SelectQueryBuilder } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { isActiveAt } from './active.ts';
import type { Database } from './database.ts';
import type { Tables } from './rows.ts';
import { openSessionMs } from './sessions.ts';

export type Namespace = {
  name: string;
  sessionId: string | null;
  accountId: string | null;
  client: string;
};

/** Creates the namespace at the first push. An existing one keeps its client. */
export async function provideNamespace(db: Database, namespace: Namespace, now: Instant): Promise<void> {
  await db
    .insertInto('imageNamespaces')
    .values({ ...namespace, createdAt: now, aliveAt: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

/** Returns an existing namespace by its name. */
export async function namespaceNamed(
  db: Database,
  name: string,
): Promise<(Namespace & { sessionAccountId: string | null }) | undefined> {
  return await db
    .selectFrom('imageNamespaces')
    .leftJoin('sessions', 'sessions.id', 'imageNamespaces.sessionId')
    .select(['name', 'sessionId', 'imageNamespaces.accountId', 'client', 'sessions.accountId as sessionAccountId'])
    .where('name', '=', name)
    .executeTakeFirst();
}

/**
 * The allowance that the blobs of a namespace count to: its account's, or that of the client that pushed to it first.
 */
export type Payer = { kind: 'account'; accountId: string } | { kind: 'client'; client: string };

/** Undefined for a namespace that nothing was pushed to. */
export async function payerOfNamespace(db: Database, name: string): Promise<Payer | undefined> {
  const namespace = await namespaceNamed(db, name);
  if (!namespace) return undefined;
  const accountId = namespace.accountId ?? namespace.sessionAccountId;
  return accountId === null ? { kind: 'client', client: namespace.client } : { kind: 'account', accountId };
}

/** Bytes of all blobs that count to the payer. Each counts once, even if several of its namespaces have it. */
export async function bytesOfPayer(db: Database, payer: Payer, { except = '' } = {}): Promise<number> {
  const blobs = db
    .selectFrom('pushedBlobs')
    .innerJoin('imageNamespaces', 'imageNamespaces.name', 'pushedBlobs.namespace')
    .leftJoin('sessions', 'sessions.id', 'imageNamespaces.sessionId')
    .select(['pushedBlobs.digest', 'pushedBlobs.sizeBytes'])
    .distinct()
    .where('pushedBlobs.digest', '!=', except)
    .where((eb) =>
      payer.kind === 'account'
        ? // The account's own namespace, and those of its sessions.
          eb.or([eb('imageNamespaces.accountId', '=', payer.accountId), eb('sessions.accountId', '=', payer.accountId)])
        : // Sessions without an account whose first push came from the client.
          eb.and([
            eb('client', '=', payer.client),
            eb('imageNamespaces.accountId', 'is', null),
            eb('sessions.accountId', 'is', null),
          ]),
    );
  return await sumOf(db, blobs);
}

/** Each blob counts once, even if several namespaces have it. */
export async function bytesOfAll(db: Database): Promise<number> {
  return await sumOf(db, db.selectFrom('pushedBlobs').select(['digest', 'sizeBytes']).distinct());
}

async function sumOf(
  db: Database,
  blobs: SelectQueryBuilder<Tables, never, { digest: string; sizeBytes: number }>,
): Promise<number> {
  const row = await db
    .selectFrom(blobs.as('blobs'))
    .select(({ fn }) => fn.sum<number | null>('sizeBytes').as('bytes'))
    .executeTakeFirst();
  return Number(row?.bytes ?? 0);
}

/**
 * Records which owners exist: accounts, sessions with an active or restorable deployment, and those that may still
 * start one.
 */
export async function renewNamespaces(db: Database, now: Instant): Promise<void> {
  const accounts = db.selectFrom('accounts').select('id');
  const active = db
    .selectFrom('deployments')
    .select('sessionId')
    .where((eb) => eb.or([isActiveAt(now), eb('restorableUntil', '>', now)]));
  const open = db
    .selectFrom('sessions')
    .select('id')
    .where('createdAt', '>', now - openSessionMs)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('deployments').select('id').whereRef('sessionId', '=', 'sessions.id'))),
    );
  await db
    .updateTable('imageNamespaces')
    .set({ aliveAt: now })
    .where((eb) => eb.or([eb('accountId', 'in', accounts), eb('sessionId', 'in', active), eb('sessionId', 'in', open)]))
    .execute();
}

/** Deletes empty namespaces whose owners have not existed since. */
export async function deleteUnusedNamespaces(db: Database, before: Instant): Promise<void> {
  await db
    .deleteFrom('imageNamespaces')
    .where('aliveAt', '<', before)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('pushedBlobs').select('digest').whereRef('namespace', '=', 'imageNamespaces.name'))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('pushedManifests').select('digest').whereRef('namespace', '=', 'imageNamespaces.name'))),
    )
    .execute();
}
