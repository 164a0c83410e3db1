/**
 * Simulated workload usage for the in-memory engine, so that a dashboard has something to show. It depends only on
 * names and time, so that all callers see the same values and counters never decrease.
 */
import { hash } from 'node:crypto';
import type { DiskUse } from '../../deployment/disk/disk-levels.ts';
import type { VolumeUse, WorkloadUse } from '../../deployment/metrics/use.ts';
import type { MemoryContainer, MemoryWorld } from './world.ts';

const mebibyte = 2 ** 20;
const usualLimits = { cpuMillis: 1_000, memoryBytes: 512 * mebibyte };

export function workloadUses({ containers }: MemoryWorld, owner: string, now: number): WorkloadUse[] {
  return [...containers.values()]
    .filter((container) => container.owner === owner && container.phase === 'running')
    .map((container) => workloadUse(container, now));
}

function workloadUse({ deploymentId, workload, startedAt = 0 }: MemoryContainer, now: number): WorkloadUse {
  const { pod, revision, replica, resources } = workload;
  const { cpuMillis = usualLimits.cpuMillis, memoryBytes = usualLimits.memoryBytes } = resources.limits;
  const [size, swing, phase] = chancesOf(`${deploymentId}/${pod}/${replica}`);
  const elapsedMs = Math.max(0, now - startedAt);
  const wave = waveOf(now, phase);
  /** The total of a rate over these milliseconds; the rate is always above 0. */
  const sumOf = (rate: number) => rate * (elapsedMs + swing * (wave.area - waveOf(startedAt, phase).area));
  const warmth = 1 - Math.exp(-elapsedMs / 60_000);
  return {
    deploymentId,
    pod,
    revision,
    replica,
    startedAt,
    cpuMs: sumOf((cpuMillis / 1_000) * (0.03 + 0.25 * size)),
    memoryBytes: Math.round(memoryBytes * (0.12 + (0.2 + 0.3 * size) * warmth + 0.04 * swing * wave.height)),
    receivedBytes: Math.round(sumOf(2 + 20 * size)),
    sentBytes: Math.round(sumOf(6 + 90 * size)),
    cpuLimitMillis: cpuMillis,
    memoryLimitBytes: memoryBytes,
  };
}

export function volumeUses({ volumes }: MemoryWorld, owner: string): VolumeUse[] {
  return [...volumes.values()]
    .filter((volume) => volume.owner === owner)
    .map(({ deploymentId, volume, sizeBytes, files }) => {
      return { deploymentId, volume, usedBytes: heldBy(files), sizeBytes };
    });
}

/** Three numbers from 0 to below 1. */
function chancesOf(name: string): [number, number, number] {
  const bytes = hash('sha256', name, 'buffer');
  return [bytes[0]! / 256, bytes[1]! / 256, bytes[2]! / 256];
}

/**
 * Two waves with periods of eleven seconds and two minutes, together from -1 to 1. `area`: their integral in
 * milliseconds.
 */
function waveOf(atMs: number, phase: number): { height: number; area: number } {
  const waves = [
    { periodMs: 660_000, part: 0.6 },
    { periodMs: 130_000, part: 0.4 },
  ];
  const angles = waves.map(({ periodMs }) => (2 * Math.PI * (atMs % periodMs)) / periodMs + 2 * Math.PI * phase);
  const height = waves.reduce((sum, { part }, index) => sum + part * Math.sin(angles[index]!), 0);
  const area = waves.reduce(
    (sum, { part, periodMs }, index) => sum - (part * periodMs * Math.cos(angles[index]!)) / (2 * Math.PI),
    0,
  );
  return { height, area };
}

/** Disk usage on the in-memory engine: as many bytes as there are characters. */

export function diskUse({ containers, volumes }: MemoryWorld, owner: string): DiskUse[] {
  return [
    ...[...volumes.values()]
      .filter((volume) => volume.owner === owner)
      .map(({ deploymentId, volume, sizeBytes, files }): DiskUse => {
        const usedBytes = heldBy(files);
        return { kind: 'volume', deploymentId, volume, usedBytes, fullShare: usedBytes / sizeBytes };
      }),
    ...[...containers.values()]
      .filter((container) => container.owner === owner && container.phase !== 'exited')
      .map(({ deploymentId, workload: { name, pod, replica }, files }): DiskUse => {
        return { kind: 'workload', deploymentId, name, pod, replica, usedBytes: heldBy(files) };
      }),
  ];
}

function heldBy(files: ReadonlyMap<string, string>): number {
  return [...files.values()].reduce((sum, { length }) => sum + length, 0);
}
