/** Selects lines by the pod, the revision, and whether to read before the last start. Pure. */
import type { Deployment } from '../../deployment/deployment.ts';
import type { ObservedWorkload } from '../../deployment/workload/workload.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';

export type LogChoice = { pod?: string | undefined; revision?: number | undefined };

export function isChosen({ pod, revision }: LogChoice, workload: ObservedWorkload): boolean {
  return (pod === undefined || workload.pod === pod) && (revision === undefined || workload.revision === revision);
}

/**
 * Returns the workloads whose lines all count as previous ones, because a later revision has the same replica. For
 * other workloads, only lines before the last start do.
 */
export function replacedAmong(workloads: readonly ObservedWorkload[]): ObservedWorkload[] {
  return workloads.filter(({ pod, replica, revision }) =>
    workloads.some((other) => other.pod === pod && other.replica === replica && other.revision > revision),
  );
}

/**
 * Refuses a choice that does not exist, with the list of possible ones. `pods`: the pods of the configuration, in start
 * order.
 */
export function checkChoice(
  choice: LogChoice,
  deployment: Deployment,
  { pods, workloads }: { pods: readonly string[]; workloads: readonly ObservedWorkload[] },
): Result<void> {
  const { pod, revision } = choice;
  const known = [...new Set([...pods, ...workloads.map((workload) => workload.pod)])];
  if (pod !== undefined && !known.includes(pod))
    return refuse('invalid_request', 'The application has no such pod.', `Its pods are: ${known.join(', ')}.`);
  // A pod that is about to start may have no container yet.
  const isComing = revision === deployment.revision && deployment.state === 'deploying';
  if (revision === undefined || isComing || workloads.some((workload) => isChosen(choice, workload)))
    return succeed(undefined);
  const ofPod = workloads.filter((workload) => isChosen({ pod }, workload));
  const subject = pod === undefined ? 'The application' : `Pod ${pod}`;
  const lastLines = revision === deployment.revision && deployment.lastLines.length > 0;
  const hint = `${revisionsIn(ofPod)}${lastLines ? ' The last lines of the pod that failed are in the status.' : ''}`;
  return refuse('invalid_request', `${subject} has no container of revision ${revision}.`, hint);
}

function revisionsIn(workloads: readonly ObservedWorkload[]): string {
  const revisions = [...new Set(workloads.map(({ revision }) => revision))].sort((a, b) => a - b);
  if (revisions.length === 0) return 'It has no container now.';
  return `Containers exist for revision ${revisions.join(', ')}; an update keeps the containers of unchanged pods.`;
}
