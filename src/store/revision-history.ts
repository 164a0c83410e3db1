/** Metadata of each revision in addition to its configuration: who requested it, and its outcome. */
import type { Instant } from '../deployment/deployment.ts';
import {
  type AuthMethod,
  isFirstOutcome,
  type RevisionOutcome,
  type SourceCommit,
} from '../deployment/revision-history.ts';
import type { Database } from './database.ts';

export type StoredRevision = {
  number: number;
  createdAt: Instant;
  askedBy: AuthMethod;
  repeats: number | null;
  outcome: RevisionOutcome | null;
  settledAt: Instant | null;
  commit: SourceCommit | undefined;
};

/** Returns the stored revisions, latest first. */
export async function storedRevisions(db: Database, deploymentId: string): Promise<StoredRevision[]> {
  const rows = await db
    .selectFrom('revisions')
    .select(['number', 'createdAt', 'askedBy', 'repeats', 'outcome', 'settledAt', 'sourceCommit'])
    .where('deploymentId', '=', deploymentId)
    .orderBy('number', 'desc')
    .execute();
  return rows.map(({ sourceCommit, ...row }) => ({
    ...row,
    commit: sourceCommit === null ? undefined : (JSON.parse(sourceCommit) as SourceCommit),
  }));
}

/** Records the outcome of a revision, unless it is known. Call it in the transaction that changes the deployment. */
export async function settleRevision(
  db: Database,
  deploymentId: string,
  { number, outcome, at }: { number: number; outcome: RevisionOutcome; at: Instant },
): Promise<void> {
  const row = await db
    .selectFrom('revisions')
    .select('outcome')
    .where('deploymentId', '=', deploymentId)
    .where('number', '=', number)
    .executeTakeFirst();
  if (!row || !isFirstOutcome(row.outcome, outcome)) return;
  await db
    .updateTable('revisions')
    .set({ outcome, settledAt: at })
    .where('deploymentId', '=', deploymentId)
    .where('number', '=', number)
    .execute();
}
