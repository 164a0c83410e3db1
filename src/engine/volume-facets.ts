/** Facets of the engine port that copy and archive volumes. */
import type { Readable, Writable } from 'node:stream';
import type { SizedVolume } from '../deployment/snapshot/snapshot.ts';

/**
 * Copies of volumes, and replacements of volumes. A replacement is filled while the volume is in use and then swapped
 * in. A `key` names all copies or replacements of one purpose; it is one path segment. Throws EngineFault if a volume
 * is missing or in use.
 */
export type VolumeCopies = {
  /** Returns the deployment's volumes that can be copied, with their sizes. */
  sizes(deploymentId: string): Promise<ReadonlyMap<string, number>>;
  /**
   * Copies volumes at one instant while workloads write to them. The copy is readable until `clear`. If the engine
   * cannot freeze writers, their workloads are stopped during the copy. If the storage takes snapshots, nothing is
   * stopped, and each volume has its own instant. Rejects at the abort.
   */
  take(deploymentId: string, volumes: readonly string[], key: string, signal?: AbortSignal): Promise<VolumeCopy>;
  /**
   * Creates empty replacements and removes those of an interrupted call. `becoming`: the new deployment that gets them;
   * default: the same deployment. Rejects at the abort.
   */
  make(
    deploymentId: string,
    volumes: readonly SizedVolume[],
    key: string,
    becoming?: string,
    signal?: AbortSignal,
  ): Promise<FilesBelow | FillableTars>;
  /** Makes filled replacements durable. Rejects at the abort. */
  finish(deploymentId: string, volumes: readonly string[], key: string, signal?: AbortSignal): Promise<void>;
  /**
   * Swaps the replacements in for the deployment's unused volumes of the same names. After a crash, the next call
   * continues. Returns false, without a change, if a replacement is missing. `madeFor`: the deployment that they were
   * created for.
   */
  swap(deploymentId: string, volumes: readonly string[], made: { key: string; madeFor: string }): Promise<boolean>;
  /** Returns the number of bytes in replacements that are being filled; 0 if the engine cannot measure them. */
  filledBytes(deploymentId: string, volumes: readonly string[], key: string): Promise<number>;
  /**
   * Returns the free bytes on the host after copies of these volumes. `keptIn`: a folder that receives the same amount
   * again, if it is on the same disk. An engine of many hosts returns the free bytes at that folder.
   */
  room(deploymentId: string, volumes: readonly string[], keptIn?: string): Promise<number>;
  /**
   * Removes all copies and replacements of a key and restarts workloads that were stopped for it. Nothing left is not
   * an error.
   */
  clear(key: string): Promise<void>;
  /** Returns all keys that have copies or replacements. */
  list(): Promise<string[]>;
};

/**
 * `pausedMs`: how long writers were frozen or stopped. `apparentBytes`: the size of all files, with holes as zeros.
 */
export type VolumeCopy = (FilesBelow | ReadableTars) & Apart & { pausedMs: number; apparentBytes: number };

/** Whether its volumes have different instants. */
type Apart = { areApart?: boolean };

/** Files in a folder of this machine. `paths`: relative paths of the volumes. */
export type FilesBelow = { kind: 'files'; folder: string; paths: string[] };

/** Volumes on other machines: their content passes through this process as a tar (GNU format, numeric owners). */
export type ReadableTars = {
  kind: 'tars';
  /** The size of each tar in bytes, by volume. */
  sizes: ReadonlyMap<string, number>;
  /** Writes the tar of a volume to `to` and does not end it. */
  read(volume: string, to: Writable, signal: AbortSignal): Promise<void>;
};

/** Replacements on other machines: their content passes through this process. */
export type FillableTars = {
  kind: 'tars';
  /** Extracts a tar into a replacement, reads the tar again and compares both. */
  fill(volume: string, tar: SizedTar, signal: AbortSignal): Promise<void>;
};

/** `read` writes exactly `sizeBytes` to `to` and does not end it. */
export type SizedTar = { sizeBytes: number; read(to: Writable): Promise<void> };

/** Archives of volumes, for exports. */
export type VolumeArchives = {
  /**
   * Copies volumes at one instant while workloads write to them. The archives are readable until they are disposed.
   * Volumes that cannot be copied are left out. Throws EngineFault, for example if the disk is too full. An abort
   * removes the copies.
   */
  take(deploymentId: string, volumes: readonly string[], signal?: AbortSignal): Promise<ArchivedVolumes>;
};

export type ArchivedVolumes = AsyncDisposable &
  Apart & {
    /** How long writers were frozen. */
    pausedMs: number;
    archives: VolumeArchive[];
  };

/**
 * A tar (GNU format) with numeric owners, holes, and `.` as the first entry. It has directories, files and links, which
 * are not followed. Sockets, pipes and devices are left out.
 */
export type VolumeArchive = {
  volume: string;
  /** The path inside the volume, for a directory that is archived separately; empty for the volume itself. */
  below: string;
  /** `below` is a substitute name, because the path is no longer known. */
  isUnplaced?: true;
  sizeBytes: number;
  /** Returns a stream of exactly `sizeBytes`; it fails otherwise. */
  read(signal: AbortSignal): Readable;
};

/** Takes a copy of volumes and cleans up after a failure. */

/** Like `take`. After a failure, everything that can be removed now is removed, and the original error is thrown. */
export async function takeCopy(
  copies: Pick<VolumeCopies, 'take' | 'clear'>,
  ...[deploymentId, volumes, key, signal]: Parameters<VolumeCopies['take']>
): Promise<VolumeCopy> {
  try {
    return await copies.take(deploymentId, volumes, key, signal);
  } catch (error) {
    // A later cleanup removes what cannot be removed now.
    await copies.clear(key).catch(() => {});
    throw error;
  }
}
