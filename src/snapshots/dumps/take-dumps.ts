/** The dumps of one snapshot: written while their databases run, and loaded into running ones. */
import type { Dump, LoadedDump } from '../../deployment/snapshot/dump.ts';
import type { SizedVolume } from '../../deployment/snapshot/snapshot.ts';
import type { ObservedWorkload } from '../../deployment/workload/workload.ts';
import { type Exec, noExec } from '../../engine/exec.ts';
import { transferTimeoutMs } from '../../lib/transfer-timeout.ts';
import { wait } from '../../lib/wait.ts';
import { SnapshotFault, type SnapshotParts } from '../snapshot-parts.ts';
import { loadDump, writeDump } from './dump-files.ts';
import type { DumpReader, DumpWriter } from './dump-place.ts';

/** The factor by which a dump as text can be larger than the files. */
const maxOfVolume = 2;

/** For so long a database may start that was stopped for a copy. */
const startPatienceMs = 5 * 60_000;
const lookEveryMs = 500;

/** `targetFolder`: the folder that receives the output, if it is stored there directly. */
type TakingDumps = {
  deploymentId: string;
  volumes: readonly SizedVolume[];
  targetFolder?: string | undefined;
  parts: SnapshotParts;
};

/** @returns how many bytes they have. Throws SnapshotFault, and faults of the engine. */
export async function takeDumps(
  dumps: readonly LoadedDump[],
  writerOf: (dump: LoadedDump) => DumpWriter,
  { deploymentId, volumes, targetFolder, parts }: TakingDumps,
): Promise<number> {
  const { engine, diskFreeBytes, stop } = parts;
  let written = 0;
  for (const dump of dumps) {
    const exec = execOf(parts, dump);
    const its = volumes.filter(({ volume }) => dump.volumes.includes(volume));
    const sizeBytes = its.reduce((sum, volume) => sum + volume.sizeBytes, 0);
    const room = (await engine.copies.room(deploymentId, [], targetFolder)) - diskFreeBytes;
    const maxBytes = Math.min(maxOfVolume * sizeBytes, room);
    const dumping = {
      exec,
      workload: (await workloadOf(dump, deploymentId, parts)).name,
      withinMs: transferTimeoutMs(sizeBytes),
      stop,
    };
    written += await writeDump(dump, writerOf(dump), { ...dumping, maxBytes });
  }
  return written;
}

/** Throws SnapshotFault where one of them could not be loaded now, and faults of the engine. */
export async function refuseUnlessRunning(
  dumps: readonly LoadedDump[],
  deploymentId: string,
  parts: SnapshotParts,
): Promise<void> {
  for (const dump of dumps) await workloadOf(dump, deploymentId, parts);
}

/** Throws SnapshotFault, and faults of the engine. */
export async function loadDumps(
  dumps: readonly LoadedDump[],
  readerOf: (dump: LoadedDump) => DumpReader,
  { deploymentId, totalBytes, parts }: { deploymentId: string; totalBytes: number; parts: SnapshotParts },
): Promise<void> {
  for (const dump of dumps) {
    const exec = execOf(parts, dump);
    const { name: workload } = await whenReady(dump, deploymentId, parts);
    await loadDump(dump, readerOf(dump), { exec, workload, withinMs: transferTimeoutMs(totalBytes), stop: parts.stop });
  }
}

/** Throws SnapshotFault if the engine cannot run commands. */
export function execOf({ engine }: SnapshotParts, { pod }: Dump): Exec {
  if (engine.exec) return engine.exec;
  throw new SnapshotFault(`${noExec.words}: the tools of ${pod} cannot be used.`, {
    isFinal: true,
  });
}

/** Where it runs now. Throws SnapshotFault where it does not. */
export async function workloadOf(
  { pod }: Dump,
  deploymentId: string,
  { engine }: SnapshotParts,
): Promise<ObservedWorkload> {
  const { workloads } = await engine.observe(deploymentId, []);
  const [found] = workloads
    .filter((workload) => workload.pod === pod && workload.phase === 'running')
    .toSorted((a, b) => b.revision - a.revision);
  if (!found) throw new SnapshotFault(`Pod ${pod} does not run now, so its database cannot be dumped.`);
  return found;
}

/** As `workloadOf`, but waits for a workload that was just stopped for a copy. */
async function whenReady(dump: Dump, deploymentId: string, parts: SnapshotParts): Promise<ObservedWorkload> {
  const patience = AbortSignal.any([AbortSignal.timeout(startPatienceMs), parts.stop]);
  for (;;) {
    const found = await workloadOf(dump, deploymentId, parts).catch((error: unknown) => {
      if (patience.aborted) throw error;
    });
    if (found && (found.isReady || patience.aborted)) return found;
    parts.stop.throwIfAborted();
    await wait(lookEveryMs, patience);
  }
}
