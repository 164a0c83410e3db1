/**
 * Access to the images of the host. The engine gives a local image to any deployment. Private repositories are listed
 * here, with the deployments whose own credentials granted access.
 */
import type { Database } from './database.ts';

export async function markPrivate(db: Database, repository: string): Promise<void> {
  await db
    .insertInto('privateRepositories')
    .values({ repository })
    .onConflict((conflict) => conflict.column('repository').doNothing())
    .execute();
}

export async function markPublic(db: Database, repository: string): Promise<void> {
  await db.deleteFrom('privateRepositories').where('repository', '=', repository).execute();
}

export async function grantAccess(db: Database, deploymentId: string, repository: string): Promise<void> {
  await db
    .insertInto('imageAccess')
    .values({ deploymentId, repository })
    .onConflict((conflict) => conflict.columns(['deploymentId', 'repository']).doNothing())
    .execute();
}

/** Returns whether the deployment itself was granted access, even if the repository is public. */
export async function isGranted(db: Database, deploymentId: string, repository: string): Promise<boolean> {
  const row = await db
    .selectFrom('imageAccess')
    .select('repository')
    .where('deploymentId', '=', deploymentId)
    .where('repository', '=', repository)
    .executeTakeFirst();
  return row !== undefined;
}

export async function mayUse(db: Database, deploymentId: string, repository: string): Promise<boolean> {
  const hidden = await db
    .selectFrom('privateRepositories')
    .select('repository')
    .where('repository', '=', repository)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('imageAccess')
            .select('deploymentId')
            .where('deploymentId', '=', deploymentId)
            .where('imageAccess.repository', '=', repository),
        ),
      ),
    )
    .executeTakeFirst();
  return hidden === undefined;
}
