/**
 * How fast a container may read and write: bytes and operations a second, of each device that it has something on. A file
 * system in a file has a device of its own, and with version 1 of control groups what is written there is not counted
 * where the file is (measured: 5 MB/s on the disk alone left a volume as fast as before). So both are given.
 */
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { HostConfig } from 'dockerode';

/** A second. */
export type DiskRate = { bytes: number; operations: number };

/** The devices of these paths, each once; none where a file system is on no single one. */
export async function devicesOf(paths: readonly string[], devices = '/sys/dev/block'): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => deviceOf(path, devices)));
  return [...new Set(found.filter((device) => device !== undefined))].sort();
}

/** PURE. */
export function throttled(devices: readonly string[], { bytes, operations }: DiskRate): HostConfig {
  const each = (Rate: number) => devices.map((Path) => ({ Path, Rate }));
  return {
    BlkioDeviceReadBps: each(bytes),
    BlkioDeviceWriteBps: each(bytes),
    BlkioDeviceReadIOps: each(operations),
    BlkioDeviceWriteIOps: each(operations),
  };
}

/** The whole disk: the kernel limits no part of one. */
async function deviceOf(path: string, devices: string): Promise<string | undefined> {
  const found = await stat(path).catch(unlessAbsent);
  if (!found) return undefined;
  const shown = await realpath(join(devices, numbersOf(found.dev))).catch(unlessAbsent);
  if (shown === undefined) return undefined;
  const isPart = (await readFile(join(shown, 'partition'), 'utf8').catch(unlessAbsent)) !== undefined;
  return `/dev/${basename(isPart ? dirname(shown) : shown)}`;
}

/** As Linux packs them. */
function numbersOf(device: number): string {
  const bits = BigInt(device);
  return `${(bits >> 8n) & 0xfffn}:${(bits & 0xffn) | ((bits >> 12n) & 0xfff00n)}`;
}

function unlessAbsent({ code, message }: NodeJS.ErrnoException): undefined {
  if (code !== 'ENOENT') throw new Error(message);
}
