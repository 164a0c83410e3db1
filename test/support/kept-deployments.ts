/** Claimed deployments in a store, with volumes, as backups find them. Their configurations are unreadable. */
import assert from 'node:assert/strict';
import type { Kysely } from 'kysely';
import { addDeployment } from '../../src/store/deployments.ts';
import type { Tables } from '../../src/store/rows.ts';
import { deploymentOf } from './deployments.ts';

/** `volumes`: with their sizes. */
export async function addKept(
  db: Kysely<Tables>,
  id: string,
  volumes: readonly (readonly [string, number])[],
  fields: Parameters<typeof deploymentOf>[0] = {},
): Promise<void> {
  const claimed = { claimedAt: 1, applicationName: id, label: `tapir-${id}`, environment: 'tapir' };
  await db
    .insertInto('sessions')
    .values({ id: 'session', tokenHash: 'x', createdAt: 1, accountId: null, ...unusedToken })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  assert.ok(await addDeployment(db, deploymentOf({ ...claimed, id, ...fields })));
  const counts = { containers: 1, volumes: volumes.length, gpus: 0, volumeSizes: JSON.stringify(volumes) };
  const amounts = { ...counts, memoryBytes: 0, cpuMillis: 0, diskBytes: 0 };
  const [spec, document] = [Uint8Array.of(1), Uint8Array.of(2)];
  await db
    .insertInto('revisions')
    .values({ deploymentId: id, number: 1, spec, document, createdAt: 1, images: '[]', askedBy: 'session', ...amounts })
    .execute();
}

const unusedToken = {
  tokenMadeAt: 1,
  tokenMadeFrom: null,
  tokenUsedAt: null,
  tokenUsedFrom: null,
  tokenEndedAt: null,
};
