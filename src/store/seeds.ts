/**
 * Seeds: 32 random bytes per deployment, sealed, from which all its generated values are derived. Passwords stay the
 * same when the installation's key changes, and a leaked key reveals nothing about later deployments.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { Derive } from '../deployment/workload/derived-secrets.ts';
import type { Seal } from '../lib/seal.ts';
import type { Database } from './database.ts';

/** Creates a seed unless a readable one exists. A new seed changes all generated values. */
export async function provideSeed(db: Database, seal: Seal, deploymentId: string): Promise<void> {
  const known = await seedOf(db, deploymentId);
  if (!known || !canOpen(seal, known.seed)) await insertSeed(db, seal, deploymentId).execute();
}

/** Creates the seed of a new deployment. */
export function insertSeed(db: Database, seal: Seal, deploymentId: string) {
  const seed = sealSeed(seal, randomBytes(32));
  return db
    .insertInto('seeds')
    .values({ deploymentId, seed, valuesOf: null })
    .onConflict((conflict) => conflict.column('deploymentId').doUpdateSet({ seed, valuesOf: null }));
}

/** Gives a new deployment the generated values of another one, whose data it gets. */
export async function copySeed(db: Database, fromId: string, deploymentId: string): Promise<void> {
  const known = await db.selectFrom('seeds').selectAll().where('deploymentId', '=', fromId).executeTakeFirst();
  if (known)
    await db
      .insertInto('seeds')
      .values({ deploymentId, seed: known.seed, valuesOf: known.valuesOf ?? fromId })
      .execute();
}

/** Derives the deployment's generated values. The result throws when called if the seed cannot be read. */
export async function derivationOf(db: Database, seal: Seal, deploymentId: string): Promise<Derive> {
  const known = await seedOf(db, deploymentId);
  return (name) => {
    if (!known) throw new Error(`the deployment ${deploymentId} has no seed`);
    return createHmac('sha256', Buffer.from(seal.open(known.seed), 'base64url'))
      .update(`generated/${known.valuesOf ?? deploymentId}/${name}`)
      .digest();
  };
}

async function seedOf(db: Database, deploymentId: string) {
  return await db
    .selectFrom('seeds')
    .select(['seed', 'valuesOf'])
    .where('deploymentId', '=', deploymentId)
    .executeTakeFirst();
}

function sealSeed(seal: Seal, seed: Uint8Array): Uint8Array {
  return seal.close(Buffer.from(seed).toString('base64url'));
}

function canOpen(seal: Seal, sealed: Uint8Array): boolean {
  try {
    seal.open(sealed);
    return true;
  } catch {
    return false;
  }
}
