/** Facets of the engine port about what is in volumes. */
import type { Readable, Writable } from 'node:stream';
import type { SizedVolume } from '../deployment/snapshot/snapshot.ts';

/**
 * Copies of volumes, and volumes that are filled beside those in use and then put in their places. A `key` names what is
 * put together for one purpose; it is one step of a path. Throws EngineFault where a volume is not there, or in use.
 */
export type VolumeCopies = {
  /** Those of the deployment that can be copied, with their sizes. */
  sizes(deploymentId: string): Promise<ReadonlyMap<string, number>>;
  /**
   * Copies volumes, all as they are at one instant, while workloads write to them; to be read until it is cleared. Where
   * nothing can hold writers back for an instant, those that have the volumes are stopped meanwhile; where storage takes
   * its own snapshots nobody is, and each volume is as it was at an instant of its own. Rejects at the abort.
   */
  take(deploymentId: string, volumes: readonly string[], key: string, signal?: AbortSignal): Promise<VolumeCopy>;
  /**
   * Makes empty volumes to be filled. What a call that was killed has made is gone. `becoming`: the deployment whose first
   * volumes they become; default: the same. Rejects at the abort.
   */
  make(
    deploymentId: string,
    volumes: readonly SizedVolume[],
    key: string,
    becoming?: string,
    signal?: AbortSignal,
  ): Promise<FilesBelow | FillableTars>;
  /** Those that were filled are whole from now on, whatever happens to the machine. Rejects at the abort. */
  finish(deploymentId: string, volumes: readonly string[], key: string, signal?: AbortSignal): Promise<void>;
  /**
   * Puts those in the places of the deployment's volumes of the same names, which nobody uses. One that was put there
   * before stays: killed at any instant, the next call goes on. False, and nothing is changed, where what was made is
   * not there any more. `madeFor`: the deployment that they were made for; they may become another's first ones.
   */
  swap(deploymentId: string, volumes: readonly string[], made: { key: string; madeFor: string }): Promise<boolean>;
  /** How many bytes are in those that were made, while they are filled; 0 where they cannot be seen. */
  filledBytes(deploymentId: string, volumes: readonly string[], key: string): Promise<number>;
  /**
   * How many bytes would be free on the host beside copies of these; `keptIn`: and beside as much again in this folder,
   * if that is on the same disk. Of an engine of many hosts, what is free at that folder, if any is named.
   */
  room(deploymentId: string, volumes: readonly string[], keptIn?: string): Promise<number>;
  /** Removes what is left of it, and lets those go on that were stopped for it; nothing is no error. */
  clear(key: string): Promise<void>;
  /** Whatever there is anything of. */
  list(): Promise<string[]>;
};

/**
 * `pausedMs`: for so long their writers have waited, or were stopped. `apparentBytes`: what whoever reads all files gets,
 * holes as zeros.
 */
export type VolumeCopy = (FilesBelow | ReadableTars) & Apart & { pausedMs: number; apparentBytes: number };

/** Whether its volumes, each of one instant, are not of the same one. */
type Apart = { areApart?: boolean };

/** Below a folder of this machine; `paths`: what is in the volumes, or where they are, relative to it. */
export type FilesBelow = { kind: 'files'; folder: string; paths: string[] };

/** No folder of this machine has them: what is in each comes through this process as a tar (GNU's form, owners by number). */
export type ReadableTars = {
  kind: 'tars';
  /** How many bytes each will have, by volume. */
  sizes: ReadonlyMap<string, number>;
  /** Writes what is in a volume to `to`, which it does not end. */
  read(volume: string, to: Writable, signal: AbortSignal): Promise<void>;
};

/** As for those that are read: what is to be in them goes through this process. */
export type FillableTars = {
  kind: 'tars';
  /** Puts what is in a tar into a volume that was made, and then holds it against the tar, read a second time. */
  fill(volume: string, tar: SizedTar, signal: AbortSignal): Promise<void>;
};

/** `read` writes exactly so many bytes to `to`, and does not end it. */
export type SizedTar = { sizeBytes: number; read(to: Writable): Promise<void> };

/** What is in volumes, for whoever takes it elsewhere. */
export type VolumeArchives = {
  /**
   * Copies all of them as they are at one instant, while workloads write to them, to be read until it is disposed. A
   * volume of which no copy can be made here is left out. Throws EngineFault, for example when the disk has no room for
   * it; at the abort it gives up, and nothing is left.
   */
  take(deploymentId: string, volumes: readonly string[], signal?: AbortSignal): Promise<ArchivedVolumes>;
};

export type ArchivedVolumes = AsyncDisposable &
  Apart & {
    /** For so long whoever writes to them has waited. */
    pausedMs: number;
    archives: VolumeArchive[];
  };

/**
 * A tar (GNU's form) with owners by number, holes as such, and `.` as its first entry: directories, files and links, of
 * which none is followed. Sockets, pipes and devices are left out.
 */
export type VolumeArchive = {
  volume: string;
  /** A directory below that is kept apart, as images want it; empty for the volume itself. */
  below: string;
  /** That this is not its path, but a name that stands for it: the path is not known any more. */
  isUnplaced?: true;
  sizeBytes: number;
  /** Ends with exactly so many bytes, or fails. */
  read(signal: AbortSignal): Readable;
};
