/** The files in an installation's backup, and the description of their format. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Instant } from '../../deployment/deployment.ts';

/** The tag of these backups, because the place may contain others. */
export const backupTag = 'berth-installation';

/** The tags of a deployment's data: of all deployments, and of this one. */
export const volumesTag = 'berth-volumes';

export function volumesTagOf(deploymentId: string): string {
  return `${volumesTag}-${deploymentId}`;
}

export const fileNames = {
  database: 'berth.db',
  keys: 'secret.key',
  settings: 'settings.env',
  pushed: 'pushed',
  contents: 'contents.json',
} as const;

/** Grows when an older release could not restore the backup. */
export const backupFormat = 1;

export type BackupContents = {
  format: typeof backupFormat;
  installation: string;
  at: Instant;
  /** The digests by file name. Each blob of a pushed image contains its digest in its name. */
  sha256: Record<string, string>;
  blobs: number;
  volumes: SavedVolumes[];
};

/**
 * The data of one deployment at one instant. `id`: the ID in the backup location. `form`: volumes that are not on a
 * disk of this machine, each stored separately. Absent: files in the layout of volumes.
 */
export type SavedVolumes = {
  deploymentId: string;
  id: string;
  form?: 'tars';
  at: Instant;
  volumes: { volume: string; sizeBytes: number }[];
  totalBytes: number;
  addedBytes: number;
};

/** Throws an error for people. */
export function readContents(text: string): BackupContents {
  const contents = JSON.parse(text) as Partial<BackupContents>;
  if (contents.format !== backupFormat)
    throw new Error('This backup was made by a newer release of Berth: restore it with that one.');
  return contents as BackupContents;
}

/** PURE. As a shell reads it, sorted; what the service was set up with, secrets included. */
export function printSettings(env: Record<string, string | undefined>): string {
  return Object.entries(env)
    .filter(([name]) => name.startsWith('BERTH_'))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value = '']) => `${name}='${value.replaceAll("'", `'\\''`)}'\n`)
    .join('');
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece as Uint8Array);
  return hash.digest('hex');
}
