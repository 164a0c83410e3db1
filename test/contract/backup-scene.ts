/** An installation in a folder, and a place for its backups next to it. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { provideKeys, readKeys } from '../../src/lib/key-file.ts';
import { keyIdOf } from '../../src/lib/seal.ts';
import { digests, type TableDigest, tableShapes } from '../../src/store/copy-tables.ts';
import { openSqlite } from '../../src/store/database.ts';
import { recordKeyId } from '../../src/store/installation.ts';
import type { Tables } from '../../src/store/rows.ts';
import * as terminal from '../accounts/terminal.ts';
import { fillAnyTables } from '../support/any-rows.ts';

export const passphrase = 'correct horse battery';
/** More than one batch of any table with bytes. */
const rows = 60;

export type Installation = { dataDir: string; db: Kysely<Tables>; key: string; blobs: string[] };

export type BackupScene = AsyncDisposable & {
  folder: string;
  place: string;
  passphraseFile: [string, string];
  sqlite(dataDir: string): Promise<Kysely<Tables>>;
  /** A data directory as a service leaves it, with rows in every table. */
  installation(): Promise<Installation>;
  defer(end: () => Promise<void>): void;
};

export async function openBackupScene(): Promise<BackupScene> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-backup-'));
  const opened = new AsyncDisposableStack();
  opened.defer(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'passphrase'), `${passphrase}\n`, { mode: 0o600 });

  async function sqlite(dataDir: string): Promise<Kysely<Tables>> {
    const db = await openSqlite(join(dataDir, 'berth.db'));
    opened.defer(() => db.destroy());
    return db;
  }

  async function installation(): Promise<Installation> {
    const dataDir = join(folder, 'here');
    const pushed = join(dataDir, 'images', 'pushed', 'sha256');
    await mkdir(pushed, { recursive: true });
    provideKeys(join(dataDir, 'secret.key'));
    const [key] = readKeys(join(dataDir, 'secret.key'))!;
    const db = await sqlite(dataDir);
    await fillAnyTables(db, rows);
    await db.deleteFrom('backups').execute();
    await recordKeyId(db, keyIdOf(key));
    const blobs = [];
    for (const text of ['layer one', 'layer two', 'settings']) {
      const digest = createHash('sha256').update(text).digest('hex');
      await writeFile(join(pushed, digest), text);
      blobs.push(digest);
    }
    return { dataDir, db, key, blobs: blobs.sort() };
  }

  return {
    folder,
    place: join(folder, 'kept'),
    passphraseFile: ['--passphrase-file', join(folder, 'passphrase')],
    sqlite,
    installation,
    defer: (end) => opened.defer(end),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export const admin = (env: Record<string, string>, ...words: string[]) =>
  terminal.berthAdmin({ PATH: process.env.PATH!, ...env }, ...words);

/** All but what a restore takes back, and what it and a backup write down. */
export async function contentOf(db: Kysely<Tables>): Promise<TableDigest[]> {
  const changed = ['auditEntries', 'backups', 'deployments', 'leases', 'edges', 'duties', 'routeTable'];
  return await digests(
    db,
    (await tableShapes()).filter(({ name }) => !changed.includes(name)),
  );
}
