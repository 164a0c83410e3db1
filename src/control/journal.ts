/** What a visit writes down: the deployment's row, as far as the visit may still write it, and its events. */
import type { Deployment, PodStatus } from '../deployment/deployment.ts';
import type { Desired } from '../deployment/desired.ts';
import { progressOf } from '../deployment/progress.ts';
import { podStatuses } from '../deployment/status.ts';
import type { Observed } from '../deployment/workload.ts';
import { type Observation, writeObservation } from '../store/deployments.ts';
import { addEvent, type DeploymentEvent } from '../store/events.ts';
import type { Lease } from '../store/leases.ts';
import type { Control } from './reconcile.ts';

export type Journal = {
  /** False when the lease was lost or a newer intent has come: then nothing was written. */
  record(observation: Observation): Promise<boolean>;
  note(event: DeploymentEvent): Promise<void>;
  /** `pulled` is the share, 0..1, of an image that is on its way. */
  recordProgress(
    desired: Extract<Desired, { kind: 'running' }>,
    observed: Observed,
    pulled?: ReadonlyMap<string, number>,
  ): Promise<void>;
};

/** For one reading of the row; `deployment` follows what is recorded of its progress. */
export function openJournal({ db, now }: Pick<Control, 'db' | 'now'>, deployment: Deployment, lease: Lease): Journal {
  const record = (observation: Observation) => writeObservation(db, deployment, lease.token, observation);
  const note = (event: DeploymentEvent) => addEvent(db, deployment.id, now(), event);

  async function noteChanges(pods: PodStatus[], progress: number | undefined): Promise<void> {
    const before = new Map(deployment.pods.map((pod) => [pod.name, JSON.stringify(pod)]));
    for (const pod of pods.filter((pod) => before.get(pod.name) !== JSON.stringify(pod))) {
      const message = pod.message ? `${pod.state}: ${pod.message}` : pod.state;
      await note({ kind: 'pod', pod: pod.name, message });
    }
    if (progress !== undefined) await note({ kind: 'progress', message: String(progress) });
  }

  return {
    record,
    note,
    /** Progress only grows, and only within a revision; the pods' states are news at any time. */
    async recordProgress(desired, observed, pulled = new Map()) {
      const pods = podStatuses(desired, observed);
      const isDeploying = deployment.state === 'deploying';
      const progress = isDeploying ? Math.max(deployment.progress, progressOf(desired, observed, pulled)) : undefined;
      const grew = progress !== undefined && progress > deployment.progress;
      const changed = JSON.stringify(pods) !== JSON.stringify(deployment.pods);
      if (!grew && !changed) return;
      // The deadline counts from the last progress, or from when a running deployment first lost a pod.
      const wasReady = deployment.pods.every((pod) => pod.state === 'ready');
      const moved = grew || (!isDeploying && wasReady) ? { progressedAt: now() } : {};
      await record({ pods, ...(grew && { progress }), ...moved });
      await noteChanges(pods, grew ? progress : undefined);
      Object.assign(deployment, { pods, ...(grew && { progress }), ...moved });
    },
  };
}
