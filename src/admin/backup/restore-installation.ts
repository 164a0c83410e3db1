/**
 * Restores an installation from a backup into an empty data directory. Everything is fetched into a separate folder and
 * verified there. Then each part is moved to its place, the database last: until then no installation exists, and the next
 * call starts again. A service that starts on it creates the resources that the engine lacks.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BackupFault } from '../../backup/backup-fault.ts';
import type { Repository } from '../../backup/restic.ts';
import type { Instant } from '../../deployment/deployment.ts';
import { loopPlace, volumesFolder } from '../../engine/docker/volumes/loop-layout.ts';
import { createLoopVolumes } from '../../engine/docker/volumes/loop-volumes.ts';
import { clearFolder, finishVolume, makeFolder, volumesIn } from '../../engine/docker/volumes/volume-copies.ts';
import { readKeys } from '../../lib/key-file.ts';
import { moveTo, replaceFile, sync } from '../../lib/replace-file.ts';
import { type Keys, keyIdOf } from '../../lib/seal.ts';
import { addAuditEntry } from '../../store/audit-log.ts';
import { settleRestored } from '../../store/copy-to-file.ts';
import { openPostgres, openSqlite } from '../../store/database.ts';
import { installationId, installationKeyId } from '../../store/installation.ts';
import { databaseFile, type StoreSettings } from '../../store/open.ts';
import { write } from '../../store/transaction.ts';
import { type MoveRefusal, migrateStore } from '../migrate-store.ts';
import { keyFileOf } from '../rotate-key.ts';
import { placeOf } from '../store-places.ts';
import {
  type BackupContents,
  backupTag,
  fileNames,
  readContents,
  type SavedVolumes,
  sha256Of,
} from './backup-files.ts';
import { acquireBackupLock } from './backup-lock.ts';
import type { OpenElsewhere } from './open-elsewhere.ts';
import { fillCopies, type RestoredVolumes, restoreVolumes, type VolumeFiller } from './restore-volumes.ts';

export type RestoreOrder = {
  repository: Repository;
  /** The ID of the backup in the backup location. Undefined: the newest. */
  id: string | undefined;
  /** The target of the installation's database: in the data directory, or on a server. */
  store: StoreSettings;
  secretKey: string | undefined;
  /** Fills volumes that are stored elsewhere; undefined if all are on a disk of this machine. */
  copiesElsewhere: OpenElsewhere;
  /** The data stays in the backup location, and deployments start with empty volumes. */
  isWithoutVolumes: boolean;
  actor: string;
  now: () => Instant;
  report: (step: RestoreStep) => void;
};

export type RestoreStep = { kind: 'brought' | 'checked' | 'brought-volumes' | 'placed-volumes' | 'placed' };

export type Restored =
  | {
      kind: 'restored';
      id: string;
      at: Instant;
      installation: string;
      blobs: number;
      settingsFile: string;
      volumes: RestoredVolumes;
    }
  | { kind: 'refused'; because: 'installation-here' | 'under-way' | 'no-backup' | 'other-key-here' | 'other-volumes' }
  | { kind: 'refused'; because: 'unfinished'; id: string }
  | { kind: 'refused'; because: 'server'; refusal: MoveRefusal };

/** Throws BackupFault, and an error for people where the backup is not one that this release can use. */
export async function restoreInstallation(order: RestoreOrder): Promise<Restored> {
  const { repository, report } = order;
  const { dataDir } = order.store;
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  if (existsSync(databaseFile(order.store))) {
    await rm(begunFile(dataDir), { force: true });
    return { kind: 'refused', because: 'installation-here' };
  }
  using turn = acquireBackupLock(dataDir);
  if (!turn) return { kind: 'refused', because: 'under-way' };
  // An interrupted call has restored parts of one backup. The next call must continue with the same one.
  const begun = await readBegun(dataDir);
  if (begun && order.id !== undefined && !begun.id.startsWith(order.id))
    return { kind: 'refused', because: 'unfinished', id: begun.id };
  const id = await idOf(repository, begun?.id ?? order.id);
  if (id === undefined) return { kind: 'refused', because: 'no-backup' };
  const draft = join(dataDir, 'restore-draft');
  await makeFolder(draft);
  await repository.bring(id, draft);
  report({ kind: 'brought' });
  const contents = readContents(await readFile(join(draft, fileNames.contents), 'utf8'));
  await verify(draft, contents);
  const keys = readKeys(join(draft, fileNames.keys))!;
  await settle(join(draft, fileNames.database), keys, order);
  report({ kind: 'checked' });
  const kept = order.isWithoutVolumes ? [] : contents.volumes;
  await using opened = new AsyncDisposableStack();
  const filler = await fillerFor(kept, { order, opened, draft, id, owner: contents.installation, keys });
  if (kept.some(({ form }) => form !== filler.form)) return { kind: 'refused', because: 'other-volumes' };
  const volumes = await restoreVolumes(kept, filler, begun);
  report({ kind: 'brought-volumes' });
  if (hasOtherKey(keys, order)) return { kind: 'refused', because: 'other-key-here' };
  await replaceFile(begunFile(dataDir), [id, ...volumes.left].join('\n'), { flush: true });
  await filler.place(volumes.brought);
  report({ kind: 'placed-volumes' });
  const refusal = await place(draft, order);
  if (refusal) return refusal;
  report({ kind: 'placed' });
  await clearFolder(draft);
  await rm(begunFile(dataDir), { force: true });
  const { installation, at, blobs } = contents;
  return { kind: 'restored', id, at, installation, blobs, settingsFile: settingsFileOf(dataDir), volumes };
}

type FillingParts = {
  order: RestoreOrder;
  opened: AsyncDisposableStack;
  draft: string;
  id: string;
  owner: string;
  keys: Keys;
};

async function fillerFor(
  kept: readonly SavedVolumes[],
  { order, opened, draft, id, owner, keys }: FillingParts,
): Promise<VolumeFiller> {
  const { repository, store } = order;
  const elsewhere = kept.length > 0 ? await order.copiesElsewhere(owner, keys) : undefined;
  if (!elsewhere) return fillFolders({ repository, dataDir: store.dataDir, draft });
  return await fillCopies({ repository, copies: opened.use(elsewhere).copies, backupId: id });
}

async function readBegun(dataDir: string): Promise<{ id: string; left: string[] } | undefined> {
  const text = await readFile(begunFile(dataDir), 'utf8').catch(() => '');
  const [id = '', ...left] = text.split('\n');
  return id === '' ? undefined : { id, left };
}

/**
 * Contains the ID of the backup while only some of its parts are in place, and the deployments whose data stays as it
 * is.
 */
function begunFile(dataDir: string): string {
  return join(dataDir, 'restore-begun');
}

/** The settings of the service, for the operator to read. The service does not use this file. */
function settingsFileOf(dataDir: string): string {
  return join(dataDir, 'restored-settings.env');
}

async function idOf(repository: Repository, wanted: string | undefined): Promise<string | undefined> {
  const kept = await repository.list(backupTag);
  if (wanted === undefined) return kept.at(-1)?.id;
  return kept.find(({ id }) => id.startsWith(wanted))?.id;
}

async function verify(draft: string, { sha256 }: BackupContents): Promise<void> {
  for (const [name, wanted] of Object.entries(sha256))
    if ((await sha256Of(join(draft, name))) !== wanted)
      throw new BackupFault(`The restored file ${name} differs from the backup.`);
}

/** Migrates the tables and resets the values that refer to another machine. */
async function settle(file: string, keys: Keys, { actor, repository, now }: RestoreOrder): Promise<void> {
  const db = await openSqlite(file);
  try {
    if ((await installationId(db)) === undefined)
      throw new BackupFault('The database in this backup is of no installation.');
    const sealing = await installationKeyId(db);
    if (sealing !== null && !keys.some((key) => keyIdOf(key) === sealing))
      throw new BackupFault('The key in this backup is not that of its database.');
    await settleRestored(db, now());
    const entry = { at: now(), actor, action: 'restore', subject: repository.place.location, reason: '' };
    await write(db, 'all', (db) => addAuditEntry(db, entry));
  } finally {
    await db.destroy();
  }
}

function keysHere({ store, secretKey }: RestoreOrder): readonly string[] | undefined {
  return secretKey === undefined ? readKeys(keyFileOf(store.dataDir)) : [secretKey];
}

function hasOtherKey(keys: Keys, order: RestoreOrder): boolean {
  const present = keysHere(order);
  return present !== undefined && !keys.every((key) => present.includes(key));
}

/** Never overwrites existing files. */
async function place(draft: string, order: RestoreOrder): Promise<Restored | undefined> {
  const { store, actor, now } = order;
  const { dataDir } = store;
  const blobs = join(dataDir, 'images', 'pushed', 'sha256');
  await mkdir(blobs, { recursive: true, mode: 0o700 });
  for (const name of await readdir(join(draft, fileNames.pushed)))
    await moveTo(join(draft, fileNames.pushed, name), join(blobs, name));
  await sync(blobs);
  await moveTo(join(draft, fileNames.settings), settingsFileOf(dataDir));
  if (!keysHere(order)) await moveTo(join(draft, fileNames.keys), keyFileOf(dataDir));
  await sync(dataDir);
  const database = join(draft, fileNames.database);
  if (!store.databaseUrl) {
    await moveTo(database, databaseFile(store));
    await sync(dataDir);
    return undefined;
  }
  await using open = new AsyncDisposableStack();
  const from = open.adopt(await openSqlite(database), (db) => db.destroy());
  const server = { ...store.databaseUrl, connections: store.databaseConnections };
  const to = open.adopt(await openPostgres(server, 'make'), (db) => db.destroy());
  const places = { from: 'a backup', to: placeOf(store) };
  const moved = await migrateStore({ from, to, places, actor, now: now(), report: () => {} });
  return moved.kind === 'refused' ? { kind: 'refused', because: 'server', refusal: moved } : undefined;
}

/**
 * Restores the data of deployments to missing volumes of this machine. Each volume is created, filled and verified
 * separately, and then takes its place by one rename.
 */

type Folders = { repository: Repository; dataDir: string; draft: string };

function fillFolders({ repository, dataDir, draft }: Folders): VolumeFiller {
  const loops = createLoopVolumes(join(draft, volumesIn));
  return {
    form: undefined,
    async missing({ deploymentId, volumes }) {
      return volumes.filter(({ volume }) => !existsSync(folderOf(dataDir, deploymentId, volume)));
    },
    async fill({ deploymentId, id, volumes }) {
      for (const { volume, sizeBytes } of volumes) await loops.ensure({ deploymentId, volume }, sizeBytes);
      await repository.bring(id, draft);
      for (const { volume } of volumes) await finishVolume(draft, deploymentId, volume);
    },
    async place(brought) {
      await mkdir(volumesFolder(dataDir), { recursive: true, mode: 0o700 });
      for (const { deploymentId, volume } of brought) {
        const from = loopPlace(join(draft, volumesIn), deploymentId, volume);
        const to = folderOf(dataDir, deploymentId, volume);
        await mkdir(dirname(to), { recursive: true, mode: 0o755 });
        await rename(from.folder, to);
        await sync(dirname(to));
      }
    },
  };
}

function folderOf(dataDir: string, deploymentId: string, volume: string): string {
  return loopPlace(volumesFolder(dataDir), deploymentId, volume).folder;
}
