/**
 * Limits the reads and writes of a container: bytes and operations per second, for each device that it uses. A file
 * system in a file has its own device. With control groups version 1, its writes do not count for the device of the
 * file (measured: a limit of 5 MB/s on the disk did not slow the volume down), so both devices are limited.
 */
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { HostConfig } from 'dockerode';

/** A second. */
export type DiskRate = { bytes: number; operations: number };

/** Returns the devices of these paths without duplicates. Empty if a file system is on no single device. */
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

/** Decodes Linux's device numbers. */
function numbersOf(device: number): string {
  const bits = BigInt(device);
  return `${(bits >> 8n) & 0xfffn}:${(bits & 0xffn) | ((bits >> 12n) & 0xfff00n)}`;
}

function unlessAbsent({ code, message }: NodeJS.ErrnoException): undefined {
  if (code !== 'ENOENT') throw new Error(message);
}
