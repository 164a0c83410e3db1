/** The real control loop on a store of the benchmark's own and any engine, with deployments as the API writes them. */
import type { AppSpec } from '../src/config/spec/spec.ts';
import type { Control } from '../src/control/control.ts';
import { createDiskState } from '../src/control/disk/disk-state.ts';
import { createRouted } from '../src/control/routing.ts';
import { createPausedClock } from '../src/control/visit/paused-clock.ts';
import { type Deployment, newDeployment } from '../src/deployment/deployment.ts';
import { type Desired, desiredAt } from '../src/deployment/desired.ts';
import { openEgress } from '../src/deployment/workload/egress.ts';
import { newId, newToken } from '../src/lib/ids.ts';
import { createMetrics } from '../src/lib/metrics.ts';
import { type Seal, sealWith } from '../src/lib/seal.ts';
import { wait } from '../src/lib/wait.ts';
import type { Database } from '../src/store/database.ts';
import { addDeployment } from '../src/store/deployments.ts';
import { addingFirstEvent } from '../src/store/events.ts';
import { atOnce, makingDue } from '../src/store/leases.ts';
import { addingFirstRevision } from '../src/store/revisions.ts';
import { addSession } from '../src/store/sessions.ts';
import { writeAll } from '../src/store/write-all.ts';

/** As in `control/open.ts`. */
export const revisitMs = 10 * 60_000;

export const urlOf = (label: string) => new URL(`http://${label}.localhost`);

export const benchSeal: Seal = sealWith('a secret of the benchmark');

export const benchLog: Control['log'] = {
  info() {},
  warn: (fields, message) => console.error(message, fields),
  error: (fields, message) => console.error(message, fields),
};

export function loopControl(parts: Pick<Control, 'db' | 'engine' | 'checkTags' | 'refreshEdge'>): Control {
  return {
    ...parts,
    seal: benchSeal,
    urlOf,
    now: Date.now,
    wait,
    log: benchLog,
    epoch: { value: 0 },
    random: Math.random,
    metrics: createMetrics(),
    disk: createDiskState(),
    routed: createRouted(),
    pausedClock: createPausedClock(() => performance.now()),
    egressOf: async () => openEgress,
    settings: {
      deployDeadlineMs: 600_000,
      listenPatienceMs: 30_000,
      drainMs: 10_000,
      leaseMs: 15_000,
      pollMs: 5_000,
      resyncMs: 30_000,
      revisitMs,
      imageDiskShare: 0.85,
      diskFreeBytes: 0,
      graceMs: 0,
      sleep: { freezeAfterMs: 0, freezeClaimedAfterMs: 0, stopAfterMs: 0 },
      containerDiskBytes: 2 ** 30,
    },
  };
}

/** Writes a deployment like POST /startUserDeployment; `as`: its later state. */
export async function writeStart(
  db: Database,
  spec: AppSpec,
  as: (requested: Deployment) => Deployment = (requested) => requested,
): Promise<Deployment> {
  const [id, sessionId, createdAt] = [newId(), newId(), Date.now()];
  const named = { applicationName: 'shop', environment: id, label: `${id}-shop` };
  const deployment = as(newDeployment({ id, sessionId, ...named, createdAt, expiresAt: null, claimedAt: null }));
  await addSession(db, { id: sessionId, token: newToken('berth'), createdAt });
  await addDeployment(db, deployment);
  await writeAll(db, [
    addingFirstRevision(db, benchSeal, id, {
      number: 1,
      spec,
      document: JSON.stringify(spec),
      createdAt,
      askedBy: 'session',
    }),
    addingFirstEvent(db, id, { at: createdAt, event: { kind: 'intent', intent: 'start', revision: 1 } }),
    makingDue(db, id, atOnce(createdAt)),
  ]);
  return deployment;
}

/** A row of one that runs; what should exist of it is the caller's to make. */
export async function writeRunning(
  db: Database,
  spec: AppSpec,
): Promise<{ deployment: Deployment; desired: Extract<Desired, { kind: 'running' }> }> {
  const deployment = await writeStart(db, spec, (requested) => ({
    ...requested,
    state: 'running',
    progress: 100,
    servingRevision: 1,
  }));
  const resolution = { now: Date.now(), url: urlOf(deployment.label), egress: openEgress };
  const desired = desiredAt(deployment, { number: 1, spec }, resolution);
  if (desired.kind !== 'running') throw new Error('it is not to run');
  return { deployment, desired };
}
