/** Facets of the engine port about what is in volumes. */
import type { Readable } from 'node:stream';
import type { SizedVolume } from '../deployment/snapshot/snapshot.ts';

/**
 * Copies of volumes, and volumes that are filled beside those in use and then put in their places. A `key` names what is
 * put together for one purpose; it is one step of a path. Throws EngineFault where a volume is not there, or in use.
 */
export type VolumeCopies = {
  /** Copies volumes, all as they are at one instant, while workloads write to them; to be read until it is cleared. */
  take(deploymentId: string, volumes: readonly string[], key: string): Promise<VolumeCopy>;
  /**
   * Makes empty volumes below a folder, to be filled; `paths`: where each is there, as a copy of it is. What a call that
   * was killed has made is gone.
   */
  make(
    deploymentId: string,
    volumes: readonly SizedVolume[],
    key: string,
  ): Promise<Pick<VolumeCopy, 'folder' | 'paths'>>;
  /** Those that were filled are whole from now on, whatever happens to the machine. */
  finish(deploymentId: string, volumes: readonly string[], key: string): Promise<void>;
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
   * if that is on the same disk.
   */
  room(deploymentId: string, volumes: readonly string[], keptIn?: string): Promise<number>;
  /** Removes what is left of it; nothing is no error. */
  clear(key: string): Promise<void>;
  /** Whatever there is anything of. */
  list(): Promise<string[]>;
};

/**
 * `paths`: what is in them, relative to the folder. `pausedMs`: for so long their writers have waited. `apparentBytes`: what
 * whoever reads all files gets, holes as zeros.
 */
export type VolumeCopy = { folder: string; paths: string[]; pausedMs: number; apparentBytes: number };

/** What is in volumes, for whoever takes it elsewhere. */
export type VolumeArchives = {
  /**
   * Copies all of them as they are at one instant, while workloads write to them, to be read until it is disposed. A
   * volume of which no copy can be made here is left out. Throws EngineFault, for example when the disk has no room for
   * it; at the abort it gives up, and nothing is left.
   */
  take(deploymentId: string, volumes: readonly string[], signal?: AbortSignal): Promise<ArchivedVolumes>;
};

export type ArchivedVolumes = AsyncDisposable & {
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
