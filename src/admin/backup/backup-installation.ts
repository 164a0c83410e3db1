/**
 * Backs up the installation while its service runs: database, keys, settings, pushed images, and the data of
 * deployments that do not expire. All parts are first collected in a folder of the data directory. The database comes
 * first, so that everything that its rows name exists. Images are hard-linked there, so that none disappears while it
 * is read. After a kill at any time, finished backups can be restored, and the next call removes the leftovers.
 */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { BackupFault } from '../../backup/backup-fault.ts';
import type { Repository, Saved } from '../../backup/restic.ts';
import { idsOf } from '../../backup/stored-tars.ts';
import type { Instant } from '../../deployment/deployment.ts';
import { volumesFolder } from '../../engine/docker/volumes/loop-layout.ts';
import { createLoopVolumes } from '../../engine/docker/volumes/loop-volumes.ts';
import {
  clearFolder,
  copyVolumes,
  freeBytesForCopies,
  makeFolder,
  volumesIn,
} from '../../engine/docker/volumes/volume-copies.ts';
import { readKeys } from '../../lib/key-file.ts';
import { ifThere } from '../../lib/missing-files.ts';
import { type Keys, keyIdOf } from '../../lib/seal.ts';
import type { Wait } from '../../lib/wait.ts';
import { addAuditEntry } from '../../store/audit-log.ts';
import { copyToFile } from '../../store/copy-to-file.ts';
import { addBackup, installationId, installationKeyId } from '../../store/installation.ts';
import type { Tables } from '../../store/rows.ts';
import { write } from '../../store/transaction.ts';
import { keyFileOf } from '../rotate-key.ts';
import {
  type BackupContents,
  backupFormat,
  backupTag,
  fileNames,
  printSettings,
  readContents,
  type SavedVolumes,
  sha256Of,
  volumesTag,
  volumesTagOf,
} from './backup-files.ts';
import { acquireBackupLock } from './backup-lock.ts';
import {
  backUpVolumes,
  clearKilledBackups,
  copySaver,
  type SavedWithPause,
  type SizedVolumes,
  type SkippedVolumes,
  type VolumeSaver,
} from './backup-volumes.ts';
import type { OpenElsewhere } from './open-elsewhere.ts';

export type BackupOrder = {
  repository: Repository;
  dataDir: string;
  /** Instead of the key file's. */
  secretKey: string | undefined;
  /** The environment of the service. */
  env: Record<string, string | undefined>;
  /** Reads all data in the backup location, not only the most important data of this backup. */
  isWholeRead: boolean;
  /** Disk space that copies of volumes must leave free. */
  diskFreeBytes: number;
  /** Copies volumes that are stored elsewhere; undefined if all are on a disk of this machine. */
  copiesElsewhere: OpenElsewhere;
  /** The number of backups to keep. Older ones are removed. */
  keep: number | undefined;
  actor: string;
  now: () => Instant;
  wait?: Wait;
  report: (step: BackupStep) => void;
};

export type BackupStep =
  | { kind: 'made-place' | 'saved' | 'checked' }
  | { kind: 'collected'; blobs: number }
  | { kind: 'kept-volumes'; deploymentId: string; pausedMs: number };

export type BackedUp =
  | ({ kind: 'backed-up'; at: Instant; blobs: number; deployments: number; leftOut: SkippedVolumes[] } & Saved)
  | { kind: 'refused'; because: 'no-installation' | 'under-way' | 'other-key' };

/** Throws BackupFault. */
export async function backUpInstallation(db: Kysely<Tables>, order: BackupOrder): Promise<BackedUp> {
  const { repository, dataDir, report } = order;
  const installation = await installationId(db);
  if (installation === undefined) return { kind: 'refused', because: 'no-installation' };
  using turn = acquireBackupLock(dataDir);
  if (!turn) return { kind: 'refused', because: 'under-way' };
  if ((await repository.provide()).isNew) report({ kind: 'made-place' });
  const draft = join(dataDir, 'backup-draft');
  await makeFolder(draft);
  try {
    const at = order.now();
    const facts = await collect(db, draft, order);
    if (!facts) return { kind: 'refused', because: 'other-key' };
    report({ kind: 'collected', blobs: facts.blobs });
    const { kept: volumes, leftOut } = await saveVolumes(db, installation, { order, draft });
    const contents: BackupContents = { format: backupFormat, installation, at, ...facts, volumes };
    await writeFile(join(draft, fileNames.contents), `${JSON.stringify(contents)}\n`, { mode: 0o600 });
    const saving = { tags: [backupTag], mayBeRenamed: true };
    const saved = withVolumes(await repository.save(draft, Object.values(fileNames), saving), volumes);
    report({ kind: 'saved' });
    await verify(repository, saved.id, contents);
    await repository.check(order.isWholeRead);
    report({ kind: 'checked' });
    await record(db, order, { ...saved, at });
    if (order.keep !== undefined) await removeOlderBackups(repository, order.keep);
    return { kind: 'backed-up', at, blobs: facts.blobs, deployments: volumes.length, leftOut, ...saved };
  } catch (error) {
    // The partial backup would fill the backup location and leave no space for the next backup.
    if (error instanceof BackupFault && error.isFull) await repository.clear().catch(() => {});
    throw error;
  } finally {
    await clearFolder(draft);
  }
}

async function saveVolumes(
  db: Kysely<Tables>,
  installation: string,
  { order, draft }: { order: BackupOrder; draft: string },
): ReturnType<typeof backUpVolumes> {
  const { repository, now, report } = order;
  const elsewhere = await order.copiesElsewhere(installation, keysHere(order)).catch((error: Error) => error);
  // The database is worth more than they are.
  if (elsewhere instanceof Error) return await backUpVolumes(db, elsewhere, report);
  if (!elsewhere) return await backUpVolumes(db, folderSaver({ ...order, draft }), report);
  await using open = elsewhere;
  await clearKilledBackups(db, { copies: open.copies, now }, order.wait).catch(() => {});
  return await backUpVolumes(db, copySaver(db, { repository, copies: open.copies, now }), report);
}

function withVolumes({ id, ...saved }: Saved, volumes: readonly SavedVolumes[]): Saved {
  const sum = (of: 'totalBytes' | 'addedBytes') => volumes.reduce((total, each) => total + each[of], saved[of]);
  return { id, totalBytes: sum('totalBytes'), addedBytes: sum('addedBytes') };
}

function keysHere({ dataDir, secretKey }: BackupOrder): Keys | undefined {
  return secretKey === undefined ? readKeys(keyFileOf(dataDir)) : [secretKey];
}

/** Undefined if the keys do not match the database. A backup with the wrong keys would be useless. */
async function collect(
  db: Kysely<Tables>,
  draft: string,
  order: BackupOrder,
): Promise<Pick<BackupContents, 'sha256' | 'blobs'> | undefined> {
  const { dataDir, env } = order;
  // The keys are read first. Keys that a rotation adds later are not needed for the copy, but keys that it removes are.
  const keys = keysHere(order);
  const path = (name: string) => join(draft, name);
  await copyToFile(db, path(fileNames.database));
  const keysNow = keysHere(order);
  if (!keys || !keysNow) return undefined;
  const all = [...new Set([...keysNow, ...keys])];
  const sealing = await installationKeyId(db);
  if (sealing !== null && !all.some((key) => keyIdOf(key) === sealing)) return undefined;
  const only = { mode: 0o600 };
  await writeFile(path(fileNames.keys), all.length === 1 ? all[0]! : JSON.stringify(all), only);
  await writeFile(path(fileNames.settings), printSettings(env), only);
  const blobs = await linkBlobs(join(dataDir, 'images', 'pushed', 'sha256'), path(fileNames.pushed));
  const sha256: Record<string, string> = {};
  for (const name of [fileNames.database, fileNames.keys, fileNames.settings])
    sha256[name] = await sha256Of(path(name));
  return { sha256, blobs };
}

/** Files that disappear in between are no longer needed. */
async function linkBlobs(from: string, to: string): Promise<number> {
  await mkdir(to, { mode: 0o700 });
  let linked = 0;
  for (const name of (await ifThere(readdir(from))) ?? []) {
    linked += (await ifThere(linkOrCopy(join(from, name), join(to, name)).then(() => 1))) ?? 0;
  }
  return linked;
}

/** Hard links do not work across file systems. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EXDEV', 'EPERM', 'EMLINK', 'EOPNOTSUPP'].includes(code)) throw error;
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  }
}

/** Reads the files without which a restore is impossible back from the place. */
async function verify(repository: Repository, id: string, { sha256 }: BackupContents): Promise<void> {
  for (const [name, wanted] of Object.entries(sha256)) {
    const hash = createHash('sha256');
    await repository.read(id, name, (piece) => void hash.update(piece));
    if (hash.digest('hex') !== wanted)
      throw new BackupFault(`The data read back for ${name} is not what was written: do not rely on this place.`);
  }
}

/** Data that does not belong to any backup is removed with the older backups. */
async function removeOlderBackups(repository: Repository, count: number): Promise<void> {
  const all = await repository.list(backupTag);
  const staying = all.slice(-count);
  const named = new Set<string>();
  for (const { id } of staying)
    for (const volumes of (await contentsOf(repository, id)).volumes)
      for (const part of idsOf(volumes.id)) named.add(part.slice(0, shortId));
  const data = await repository.list(volumesTag);
  const unnamed = data.filter(({ id }) => !named.has(id.slice(0, shortId)));
  await repository.drop([...all.slice(0, -count), ...unnamed].map(({ id }) => id));
}

/** The number of characters of an id that are shown when it is created. */
const shortId = 8;

async function contentsOf(repository: Repository, id: string): Promise<BackupContents> {
  let text = '';
  await repository.read(id, fileNames.contents, (piece) => {
    text += Buffer.from(piece).toString('utf8');
  });
  return readContents(text);
}

async function record(
  db: Kysely<Tables>,
  { repository, actor, now }: BackupOrder,
  { id, totalBytes, addedBytes, at }: Saved & { at: Instant },
): Promise<void> {
  const place = repository.place.location;
  await write(db, 'all', async (db) => {
    await addBackup(db, { id, at, place, totalBytes, addedBytes });
    await addAuditEntry(db, { at: now(), actor, action: 'backup', subject: place, reason: '' });
  });
}

/**
 * Volumes on this machine with their own file systems, frozen while they run. Needs space for the data of the largest
 * deployment.
 */

type KeepingFolders = {
  repository: Repository;
  dataDir: string;
  /** The folder for copies. */
  draft: string;
  /** Disk space that copies of volumes must leave free. */
  diskFreeBytes: number;
  now: () => Instant;
};

function folderSaver({ repository, dataDir, draft, diskFreeBytes, now }: KeepingFolders): VolumeSaver {
  const root = volumesFolder(dataDir);
  const loops = createLoopVolumes(root);

  async function saveOne(deploymentId: string, volumes: SizedVolumes): Promise<SavedWithPause> {
    const names = volumes.map(({ volume }) => volume);
    for (const volume of names) await loops.ensure({ deploymentId, volume });
    const { paths, pausedMs } = await copyVolumes(root, draft, deploymentId, names);
    const at = now();
    const saving = { tags: [volumesTag, volumesTagOf(deploymentId)], mayBeRenamed: false };
    const { id, totalBytes, addedBytes } = await repository.save(draft, paths, saving);
    return { deploymentId, id, at, volumes, totalBytes, addedBytes, pausedMs };
  }

  return {
    async sizes(deploymentId, wanted) {
      const sized = wanted.map(async (volume) => ({ volume, sizeBytes: await loops.sizeOf({ deploymentId, volume }) }));
      return (await Promise.all(sized)).filter(({ sizeBytes }) => sizeBytes > 0);
    },
    async save(deploymentId, volumes) {
      const names = volumes.map(({ volume }) => volume);
      try {
        if ((await freeBytesForCopies(root, deploymentId, names)) < diskFreeBytes) return undefined;
        return await saveOne(deploymentId, volumes);
      } finally {
        await clearFolder(join(draft, volumesIn));
      }
    },
  };
}
