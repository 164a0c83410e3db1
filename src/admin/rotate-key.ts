/**
 * Changes the key of the encryption at rest while the service runs. First the new key is added to the key file. All
 * processes read the file at each use, so everything is sealed with the new key from then on. Then older data is
 * resealed, and finally the previous key is removed from the file. After a kill at any instant, the file contains all
 * needed keys, and the next call continues.
 */
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { clearDrafts, followKeys, newKey, readKeys, replaceKeys } from '../lib/key-file.ts';
import { type Keys, keyIdOf, type Seal, sealBy } from '../lib/seal.ts';
import { wait } from '../lib/wait.ts';
import { addAuditEntry } from '../store/audit-log.ts';
import { discardOldPages } from '../store/dialect/dialect.ts';
import { recordKeyId } from '../store/installation.ts';
import { type Resealed, resealAll } from '../store/reseal.ts';
import type { Tables } from '../store/rows.ts';
import { write } from '../store/transaction.ts';

export type Rotation =
  /**
   * `hasOldPages`: there were readers all the time, so the write-ahead log still contains data sealed with an older
   * key.
   */
  ({ kind: 'rotated'; keyId: string; isContinued: boolean; hasOldPages: boolean } & Resealed) | { kind: 'no-file' };

/** The progress of the rotation, for the operator, and for tests that kill it at a step. */
export type RotationStep =
  | { kind: 'recorded' | 'key-added' | 'key-dropped'; keyId: string }
  | ({ kind: 'resealed' } & Resealed);

/** Returns the file of keys that are not in a setting. */
export function keyFileOf(dataDir: string): string {
  return join(dataDir, 'secret.key');
}

/** Throws if the file cannot be read or written. */
export async function rotateKey(
  db: Kysely<Tables>,
  { file, actor, now, report }: { file: string; actor: string; now: Instant; report: (step: RotationStep) => void },
): Promise<Rotation> {
  const before = readKeys(file);
  if (!before) return { kind: 'no-file' };
  const wanted = before.length > 1 ? before[0] : newKey();
  const entry = { at: now, actor, action: 'rotate-key', subject: keyIdOf(wanted), reason: '' };
  await write(db, 'all', (transaction) => addAuditEntry(transaction, entry));
  report({ kind: 'recorded', keyId: keyIdOf(wanted) });
  // The file is only changed with the right to write to the database.
  const { keys, isContinued } = await write(db, 'all', async (transaction) => {
    const added = addKey(file, wanted);
    await recordKeyId(transaction, keyIdOf(added.keys[0]));
    return added;
  });
  const keyId = keyIdOf(keys[0]);
  report({ kind: 'key-added', keyId });

  let at = performance.now();
  const resealed = await resealAll(db, sealBy(followKeys(file)), {
    whenDone: () => dropOlderKeys(file),
    // Other writers get as much time as the rotation itself.
    async afterStep(sofar) {
      report({ kind: 'resealed', ...sofar });
      await wait(performance.now() - at);
      at = performance.now();
    },
  });
  report({ kind: 'key-dropped', keyId });
  const hasOldPages = !(await discardOldPages(db));
  return { kind: 'rotated', keyId, isContinued, hasOldPages, ...resealed };
}

/** Completes a rotation that was interrupted, or that the settings request. */
export async function finishRotation(db: Kysely<Tables>, file: string | undefined, seal: Seal): Promise<Resealed> {
  const resealed = await resealAll(db, seal, { whenDone: () => file !== undefined && dropOlderKeys(file) });
  if (resealed.rows > 0) await discardOldPages(db);
  return resealed;
}

function addKey(file: string, wanted: string): { keys: Keys; isContinued: boolean } {
  const present = readKeys(file);
  if (!present) throw new Error(`The key file ${file} has gone.`);
  // An unfinished change, or one in progress.
  if (present.length > 1) return { keys: present, isContinued: true };
  const keys: Keys = [wanted, ...present];
  replaceKeys(file, keys);
  return { keys, isContinued: false };
}

function dropOlderKeys(file: string): void {
  const present = readKeys(file);
  if (present && present.length > 1) replaceKeys(file, [present[0]]);
  clearDrafts(file);
}
