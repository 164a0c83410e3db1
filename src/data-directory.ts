/**
 * Identifies the installation of a data directory in a file. A missing database, or the database of another
 * installation, is therefore detected before the service uses it.
 */
import { existsSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { volumesFolder } from './engine/docker/volumes/loop-layout.ts';
import { labelKeys } from './engine/labels.ts';
import { replaceFile } from './lib/replace-file.ts';
import { StartError } from './lib/start-error.ts';
import { databaseFile, type StoreSettings } from './store/open.ts';
import type { Tables } from './store/rows.ts';

function markFile(dataDir: string): string {
  return join(dataDir, 'installation');
}

type Place = Pick<StoreSettings, 'dataDir' | 'databaseUrl'>;

/** Call it before the database is opened, because that creates a missing one. Throws StartError. */
export async function requireDatabase({ dataDir, databaseUrl }: Place): Promise<void> {
  const file = databaseFile({ dataDir });
  if (databaseUrl || (existsSync(file) && statSync(file).size > 0)) return;
  const owner = await ownerOf(dataDir);
  const volumes = await readdir(volumesFolder(dataDir)).catch(() => []);
  if (owner === undefined && volumes.length === 0) return;
  const found = volumes.length > 0 ? `holds ${countOf(volumes.length, 'volume folder')}` : `belongs to ${owner}`;
  throw new StartError(
    `${dataDir} ${found}, but its database ${file} is missing. Nothing was changed.\n${waysOn(dataDir, owner)}`,
  );
}

/**
 * Records in the data directory which installation it belongs to. Throws StartError if the database belongs to another
 * one.
 */
export async function agreeOnInstallation(db: Kysely<Tables>, dataDir: string, owner: string): Promise<void> {
  const noted = await ownerOf(dataDir);
  if (noted === owner) return;
  if (noted === undefined) return await replaceFile(markFile(dataDir), owner, { flush: true });
  const known = await db.selectFrom('deployments').select('id').limit(1).executeTakeFirst();
  const words = known ? `is of installation ${owner}` : `is of a new installation, ${owner}, without any deployment`;
  throw new StartError(
    `${dataDir} belongs to installation ${noted}, but its database ${words}. Nothing on the engine was changed.\n${waysOn(dataDir, noted)}`,
  );
}

async function ownerOf(dataDir: string): Promise<string | undefined> {
  return (await readFile(markFile(dataDir), 'utf8').catch(() => '')).trim() || undefined;
}

/** The three ways on. */
function waysOn(dataDir: string, owner: string | undefined): string {
  const removal =
    owner === undefined
      ? ''
      : ` To remove the containers of the old installation: docker ps -aq --filter label=${labelKeys.owner}=${owner} | xargs docker rm -fv`;
  return `1. Put the database back, or set BERTH_DATABASE_URL to the right one.
2. Restore a backup: berth admin restore --from PLACE.
3. Begin a new, empty installation: move ${dataDir} aside, or set another BERTH_DATA_DIR.${removal}`;
}

function countOf(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
