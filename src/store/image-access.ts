/**
 * Who may use which images of the host. The engine gives an image that is there to everybody; a repository that its
 * registry does not show to everybody is listed here, and so are the deployments whose own login was let in.
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

/** Whether the deployment was let in by name, whatever the repository is to others. */
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
