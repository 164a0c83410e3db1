/** Reads the desired state of a deployment, and which of its values are secret. */
import type { Deployment } from '../../deployment/deployment.ts';
import { type Desired, desiredAt, restOf, wantedRevision } from '../../deployment/desired.ts';
import { redactorOf } from '../../deployment/workload/redact.ts';
import { filledRestore } from '../../store/restores.ts';
import { revisionOf } from '../../store/revisions.ts';
import { derivationOf } from '../../store/seeds.ts';
import type { Control } from '../control.ts';

export type Wanted = { desired: Desired; redact: (text: string) => string };

/**
 * An ended deployment needs no revision, so that an unreadable revision does not prevent its removal. Throws if the
 * revision of a running deployment cannot be read.
 */
export async function readWanted(deployment: Deployment, control: Control): Promise<Wanted> {
  const { db, seal, urlOf, egressOf, now } = control;
  const rest = restOf(deployment, now(), control.settings.graceMs);
  if (rest?.kind === 'gone' || rest?.kind === 'suspended') return { desired: rest, redact: (text) => text };
  const restore = await filledRestore(db, deployment.id);
  if (rest?.kind === 'stopped') return { desired: restore ? { ...rest, restore } : rest, redact: (text) => text };
  // A restore replaces the volumes of a deployment that runs; it falls asleep again afterwards.
  if (rest && !restore) return { desired: rest, redact: (text) => text };
  const revision = await revisionOf(db, seal, deployment.id, wantedRevision(deployment));
  const derive = await derivationOf(db, seal, deployment.id);
  const resolution = {
    now: now(),
    url: urlOf(deployment.label),
    derive,
    egress: await egressOf(deployment),
    runtime: await control.runtimeOf?.(deployment),
  };
  const desired = desiredAt(deployment, revision, resolution);
  const environments = desired.kind === 'running' ? desired.workloads.map(({ workload }) => workload.env) : [];
  return {
    desired: restore && desired.kind === 'running' ? { ...desired, restore } : desired,
    redact: redactorOf(revision.spec, environments),
  };
}
