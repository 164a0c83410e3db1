/** Where deployments were started from. */
import type { Instant } from '../deployment/deployment.ts';
import type { Usage } from '../deployment/limits/plan-tier.ts';
import { isActiveAt } from './active.ts';
import type { Database } from './database.ts';
import { usageOfDeployments } from './usage.ts';

/** `address`: as the edge saw it; `client`: whom the limits count. */
export type Origin = { address: string; client: string };

export function addingOrigin(db: Database, deploymentId: string, { address, client }: Origin) {
  return db.insertInto('origins').values({ deploymentId, address, client });
}

/** A restored deployment counts for the client that restored it from then on. In a transaction. */
export async function moveOrigin(db: Database, deploymentId: string, origin: Origin): Promise<void> {
  await addingOrigin(db, deploymentId, origin)
    .onConflict((conflict) => conflict.column('deploymentId').doUpdateSet(origin))
    .execute();
}

/** Undefined for deployments from before origins were recorded. */
export async function originOfDeployment(db: Database, deploymentId: string): Promise<Origin | undefined> {
  const query = db.selectFrom('origins').select(['address', 'client']).where('deploymentId', '=', deploymentId);
  return await query.executeTakeFirst();
}

/** See `originOfDeployment`. */
export async function clientOf(db: Database, deploymentId: string): Promise<string | undefined> {
  return (await originOfDeployment(db, deploymentId))?.client;
}

/** The usage of a client's unclaimed deployments. */
export async function usageOfClient(db: Database, client: string, now: Instant): Promise<Usage> {
  const rows = await db
    .selectFrom('deployments')
    .innerJoin('origins', 'origins.deploymentId', 'deployments.id')
    .select('deployments.id')
    .where('client', '=', client)
    .where('claimedAt', 'is', null)
    .where(isActiveAt(now))
    .execute();
  return await usageOfDeployments(
    db,
    rows.map(({ id }) => id),
  );
}

/** A possible subject of a ban. */
export type Suspect = {
  id: string;
  /** Null while the session has no account. */
  accountId: string | null;
  email: string | null;
  /** Whether it counts to its account's plan. */
  isClaimed: boolean;
  /** Null for deployments from before origins were recorded. */
  address: string | null;
  /** The images of the requested and of the serving revision. */
  images: string[];
};

/** Returns all deployments that have not ended. */
export async function suspects(db: Database, now: Instant): Promise<Suspect[]> {
  const rows = await selectSuspects(db).where(isActiveAt(now)).execute();
  return rows.map(fromRow);
}

/** Returns one deployment, which must exist. */
export async function suspect(db: Database, deploymentId: string): Promise<Suspect> {
  return fromRow(await selectSuspects(db).where('deployments.id', '=', deploymentId).executeTakeFirstOrThrow());
}

function selectSuspects(db: Database) {
  return db
    .selectFrom('deployments')
    .innerJoin('sessions', 'sessions.id', 'deployments.sessionId')
    .innerJoin('revisions', (join) =>
      join
        .onRef('revisions.deploymentId', '=', 'deployments.id')
        .onRef('revisions.number', '=', 'deployments.revision'),
    )
    .leftJoin('revisions as serving', (join) =>
      join
        .onRef('serving.deploymentId', '=', 'deployments.id')
        .onRef('serving.number', '=', 'deployments.servingRevision'),
    )
    .leftJoin('accounts', 'accounts.id', 'sessions.accountId')
    .leftJoin('origins', 'origins.deploymentId', 'deployments.id')
    .select(['deployments.id', 'sessions.accountId', 'email', 'claimedAt', 'address'])
    .select(['revisions.images', 'serving.images as servingImages'])
    .orderBy('deployments.createdAt')
    .orderBy('deployments.id');
}

type Row = Omit<Suspect, 'images' | 'isClaimed'> & {
  images: string;
  servingImages: string | null;
  claimedAt: Instant | null;
};

function fromRow({ images, servingImages, claimedAt, ...row }: Row): Suspect {
  const all = [images, servingImages ?? '[]'].flatMap((list): string[] => JSON.parse(list));
  return { ...row, isClaimed: claimedAt !== null, images: [...new Set(all)] };
}
