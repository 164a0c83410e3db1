/** Where the service has its keys from. */
import type { Kysely } from 'kysely';
import { finishRotation, keyFileOf } from './admin/rotate-key.ts';
import { followKeys, provideKeys, readKeys } from './lib/key-file.ts';
import { type Keys, keyIdOf, type Seal, sealBy } from './lib/seal.ts';
import { StartError } from './lib/start-error.ts';
import type { Settings } from './settings/settings.ts';
import { isPostgres } from './store/dialect/dialect.ts';
import { otherServices } from './store/dialect/postgres.ts';
import { installationKeyId, recordKeyId } from './store/installation.ts';
import { hasSealed } from './store/reseal.ts';
import type { Tables } from './store/rows.ts';
import { untilDone, write } from './store/transaction.ts';

type Log = { info(fields: object, message: string): void; error(fields: object, message: string): void };

type KeySettings = Pick<Settings, 'dataDir' | 'secretKey' | 'oldSecretKey'>;

/** The seal, which follows the key; a change of it that was interrupted, or that the settings ask for, is finished. */
export async function openKeys(db: Kysely<Tables>, settings: KeySettings, log: Log): Promise<Seal> {
  return await untilDone(() => openKeysNow(db, settings, log));
}

async function openKeysNow(
  db: Kysely<Tables>,
  { dataDir, secretKey, oldSecretKey }: KeySettings,
  log: Log,
): Promise<Seal> {
  const older = oldSecretKey === undefined ? [] : [oldSecretKey];
  const file = secretKey === undefined ? keyFileOf(dataDir) : undefined;
  if (file !== undefined && older.length === 0 && !readKeys(file) && (await hasSealed(db)))
    throw new StartError(missingKey(file));
  if (file !== undefined) provideKeys(file);
  const given = [secretKey ?? '', ...older] as [string, ...string[]];
  const keysNow: () => Keys = file === undefined ? () => given : followKeys(file, older);
  const seal = sealBy(keysNow);
  await agreeOnKey(db, keysNow());
  const { rows, unreadable } = await finishRotation(db, file, seal);
  if (rows > 0) log.info({ rows }, 'everything is sealed with the new key');
  if (unreadable > 0)
    log.error(
      { unreadable },
      'stored values cannot be opened with any of the keys: put the key back, or update their deployments',
    );
  return seal;
}

/**
 * Processes on one database seal with one key, because they read each other's values. A process with another key is
 * refused while one lives, because that one could not open its values. Throws StartError.
 */
async function agreeOnKey(db: Kysely<Tables>, [newest, ...older]: Keys): Promise<void> {
  if (!isPostgres(db)) return;
  await write(db, 'all', async (transaction) => {
    const agreed = await installationKeyId(transaction);
    const isKnown = agreed === null || [newest, ...older].some((key) => keyIdOf(key) === agreed);
    if (!isKnown && (await otherServices(transaction)).length > 0) throw new StartError(anotherKey);
    if (agreed !== keyIdOf(newest)) await recordKeyId(transaction, keyIdOf(newest));
  });
}

function missingKey(file: string): string {
  return `The key file ${file} is missing, and the database has values that were sealed with its key. Nothing was changed.
1. Put the file back: every backup has it, and so has the data directory of another service on this database.
2. Set BERTH_SECRET_KEY to the key.
3. If the key is lost, make a new one: (umask 077; openssl rand -hex 32 > ${file}). Then stored values cannot be read:
   deployments keep running, and each needs one update by its owner.`;
}

const anotherKey = `Another service works on this database with another key.
Set the same BERTH_SECRET_KEY for both, or copy the file secret.key from its data directory into this one.`;
