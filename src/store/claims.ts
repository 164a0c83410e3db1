/** Claims: links by which a deployment can be attached to an account. Only the hash of the token is stored. */
import type { Instant } from '../deployment/deployment.ts';
import { hashToken } from '../lib/ids.ts';
import type { Database } from './database.ts';

export type Claim = { deploymentId: string; expiresAt: Instant };

export async function addClaim(db: Database, claim: Claim & { token: string; createdAt: Instant }): Promise<void> {
  const { token, ...fields } = claim;
  await db
    .insertInto('claims')
    .values({ tokenHash: hashToken(token), ...fields })
    .execute();
}

export async function claimOfToken(db: Database, token: string): Promise<Claim | undefined> {
  return await db
    .selectFrom('claims')
    .select(['deploymentId', 'expiresAt'])
    .where('tokenHash', '=', hashToken(token))
    .executeTakeFirst();
}
