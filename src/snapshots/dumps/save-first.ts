/** Databases that save all their data to their volumes before these are copied. */

import type { PodSpec } from '../../config/spec/spec.ts';
import type { Dump } from '../../deployment/snapshot/dump.ts';
import type { SizedVolume } from '../../deployment/snapshot/snapshot.ts';
import type { Derive } from '../../deployment/workload/derived-secrets.ts';
import { transferTimeoutMs } from '../../lib/transfer-timeout.ts';
import { SnapshotFault, type SnapshotParts } from '../snapshot-parts.ts';
import { savingOf } from './redis-save.ts';
import { runTool } from './run-tool.ts';
import { execOf, workloadOf } from './take-dumps.ts';

/** A pod of a revision, and where its generated values come from. */
export type StartedPod = { spec: PodSpec; derive: Derive };

/** Makes databases write all confirmed data to their volumes. Throws SnapshotFault, and faults of the engine. */
export async function saveFirst(
  dumps: readonly Dump[],
  { deploymentId, volumes, parts }: { deploymentId: string; volumes: readonly SizedVolume[]; parts: SnapshotParts },
): Promise<void> {
  const withinMs = transferTimeoutMs(volumes.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
  for (const dump of dumps.filter(({ kind }) => kind === 'redis')) {
    const exec = execOf(parts, dump);
    const { name: workload, revision } = await workloadOf(dump, deploymentId, parts);
    const found = await parts.startedPod(deploymentId, revision, dump.pod);
    if (!found) throw new SnapshotFault(`It is not known how pod ${dump.pod} was started.`);
    const { tool, input } = savingOf(found.spec, found.derive);
    const given = (async function* () {
      yield Buffer.from(input, 'utf8');
    })();
    const run = { exec, workload, input: given, take() {}, maxBytes: maxOutput, withinMs, stop: parts.stop };
    await runTool(tool, run);
  }
}

const maxOutput = 10_000;
