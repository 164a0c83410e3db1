/** Where the service has its keys from. */
import type { Kysely } from 'kysely';
import { finishRotation, keyFileOf } from './admin/rotate-key.ts';
import { followKeys, provideKeys } from './lib/key-file.ts';
import { type Keys, type Seal, sealBy } from './lib/seal.ts';
import type { Settings } from './settings/settings.ts';
import type { Tables } from './store/database.ts';
import { countRevisions } from './store/revisions.ts';
import { provideSeedsFrom } from './store/seeds.ts';
import { write } from './store/transaction.ts';

type Log = { info(fields: object, message: string): void; error(fields: object, message: string): void };

/** The seal, which follows the key; a change of it that was interrupted, or that the settings ask for, is finished. */
export async function openKeys(
  db: Kysely<Tables>,
  { dataDir, secretKey, oldSecretKey }: Pick<Settings, 'dataDir' | 'secretKey' | 'oldSecretKey'>,
  log: Log,
): Promise<Seal> {
  const older = oldSecretKey === undefined ? [] : [oldSecretKey];
  const file = secretKey === undefined ? keyFileOf(dataDir) : undefined;
  if (file !== undefined) provideKeys(file);
  const given = [secretKey ?? '', ...older] as [string, ...string[]];
  const keysNow: () => Keys = file === undefined ? () => given : followKeys(file, older);
  const seal = sealBy(keysNow);
  const oldest = keysNow().at(-1)!;
  await write(db, 'all', (transaction) => provideSeedsFrom(transaction, seal, oldest));
  const { rows, unreadable } = await finishRotation(db, file, seal);
  if (rows > 0) log.info({ rows }, 'everything is sealed with the new key');
  if (unreadable > 0)
    log.error(
      { unreadable },
      'values are stored that none of the keys opens: put the key back, or update what they are of',
    );
  await countRevisions(db, seal);
  return seal;
}
