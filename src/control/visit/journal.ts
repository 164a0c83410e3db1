/**
 * Writes the row of a deployment and its events during a visit, if the visit may still write. Events are collected
 * until the next `record`, because each write waits for the disk and a start has some 40 events (0.1 s of a start under
 * load, measured). Events that a crash loses are created again.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Deployment, PodStatus } from '../../deployment/deployment.ts';
import type { Running } from '../../deployment/desired.ts';
import type { DeploymentEvent, EventOf } from '../../deployment/event/event.ts';
import type { RevisionOutcome } from '../../deployment/revision-history.ts';
import { type Pulled, progressOf } from '../../deployment/status/deployment-progress.ts';
import { podsOf } from '../../deployment/status/deployment-status.ts';
import type { Observed } from '../../deployment/workload/workload.ts';
import { type Observation, writeObservation } from '../../store/deployments.ts';
import { addEvents, type EventAt } from '../../store/events.ts';
import type { Lease } from '../../store/leases.ts';
import { settleRevision } from '../../store/revision-history.ts';
import { write } from '../../store/transaction.ts';
import type { Control } from '../control.ts';

/** The outcome of a revision. */
export type Settled = { number: number; outcome: RevisionOutcome };

export type Journal = {
  addEvent(event: DeploymentEvent): void;
  /**
   * Writes the observation and the collected events. Returns false, without a write, if the lease is lost or the intent
   * has changed.
   */
  record(observation: Observation, settled?: Settled): Promise<boolean>;
  /** Writes the events since the last record. */
  flush(): Promise<void>;
  /** Notes changed progress and pods. `pulled`: images that are being pulled. */
  addProgress(desired: Running, observed: Observed, pulled?: ReadonlyMap<string, Pulled>): void;
  /** As `addProgress`, but written at once. */
  recordProgress(...reported: Parameters<Journal['addProgress']>): Promise<void>;
};

/** For one reading of the row. Updates `deployment` with the noted progress. */
export function openJournal({ db, now }: Pick<Control, 'db' | 'now'>, deployment: Deployment, lease: Lease): Journal {
  const right = { deploymentId: deployment.id };
  let noted: EventAt[] = [];
  let moved: Observation | undefined;
  const addEvent = (event: DeploymentEvent) => void noted.push({ at: now(), event });

  async function record(observation: Observation, settled?: Settled): Promise<boolean> {
    const events = noted;
    const whole = { ...moved, ...observation };
    noted = [];
    moved = undefined;
    return await write(db, right, async (transaction) => {
      const isWritten = await writeObservation(transaction, deployment, lease.token, whole);
      if (isWritten) await addEvents(transaction, deployment.id, events);
      if (isWritten && settled) await settleRevision(transaction, deployment.id, { ...settled, at: now() });
      return isWritten;
    });
  }

  async function flush(): Promise<void> {
    if (moved) {
      await record({});
      return;
    }
    const events = noted;
    noted = [];
    if (events.length > 0) await write(db, right, (transaction) => addEvents(transaction, deployment.id, events));
  }

  function addChanges(pods: PodStatus[], progress: number | undefined): void {
    const reported = (pod: PodStatus) => podEvent(pod, deployment.revision);
    const before = new Map(deployment.pods.map((pod) => [pod.name, reported(pod)]));
    for (const event of pods.map(reported)) if (!isDeepStrictEqual(before.get(event.pod), event)) addEvent(event);
    const pulling = pods.flatMap(({ name, pulling }) => (pulling ? [{ pod: name, ...pulling }] : []));
    if (progress !== undefined) addEvent({ kind: 'progress', progress, ...(pulling.length > 0 && { pulling }) });
  }

  /** Progress only increases, and only within a revision. The states of pods may change at any time. */
  function addProgress(...[desired, observed, pulled = new Map()]: Parameters<Journal['addProgress']>): void {
    const pods = podsOf(deployment, desired, observed, { now: now(), pulling: pulled });
    const isDeploying = deployment.state === 'deploying';
    const progress = isDeploying ? Math.max(deployment.progress, progressOf(desired, observed, pulled)) : undefined;
    const grew = progress !== undefined && progress > deployment.progress;
    const changed = JSON.stringify(pods) !== JSON.stringify(deployment.pods);
    if (!grew && !changed) return;
    addChanges(pods, grew ? progress : undefined);
    // The deadline counts from the last progress, or from when a running deployment first lost a pod.
    const wasReady = deployment.pods.every((pod) => pod.state === 'ready');
    const isMove = grew || (!isDeploying && wasReady);
    moved = { ...moved, pods, ...(grew && { progress }), ...(isMove && { progressedAt: now() }) };
    Object.assign(deployment, moved);
  }

  return {
    addEvent,
    record,
    flush,
    addProgress,
    async recordProgress(...reported) {
      addProgress(...reported);
      await flush();
    },
  };
}

/** Returns the event of a pod's current state. `asked`: the latest revision. */
function podEvent({ name, state, message, revision }: PodStatus, requested: number): EventOf<'pod'> {
  return {
    kind: 'pod',
    pod: name,
    state,
    ...(message !== undefined && { because: message }),
    ...(revision !== requested && { revision }),
  };
}
