/** PURE. Reasons why a deployment fails or is delayed. */
import type { Deployment } from '../../deployment/deployment.ts';
import type { Running } from '../../deployment/desired.ts';
import type { Operation } from '../../deployment/plan/operation.ts';
import { describeReason, type Reason } from '../../deployment/status/reason.ts';
import { EngineFault } from '../../engine/engine.ts';

/** The hint without a better one. */
export function linesHint(lastLines: string[]): string {
  return lastLines.length > 0 ? 'its last lines may say why' : 'it has written nothing';
}

/** Returns the fault with the affected pods: its own, the pods of the operation, or those with its image. */
export function aboutPods(operation: Operation, fault: EngineFault, desired: Running): EngineFault {
  if (fault.pods.length > 0) return fault;
  const concerned = desired.workloads.filter(({ workload }) =>
    operation.kind === 'start' ? workload.name === operation.workload.name : workload.image === fault.image,
  );
  const pods = [...new Set(concerned.map(({ workload }) => workload.pod))];
  const { kind, message, hint, image } = fault;
  return new EngineFault(kind, message, {
    cause: fault,
    pods,
    ...(hint !== undefined && { hint }),
    ...(image !== undefined && { image }),
  });
}

/** Returns the reason for the owner. Errors that are not an EngineFault are not shown. */
export function reasonOf(error: unknown): Reason {
  if (!(error instanceof EngineFault)) return { pods: [], because: 'The engine failed to complete an operation' };
  const { pods, message, hint } = error;
  return { pods: [...pods], because: message.replace(/\.$/, ''), ...(hint !== undefined && { hint }) };
}

/**
 * Returns the reason of a fault that ends a try. If an earlier revision serves, the failed one is not retried, so the
 * hint that it starts when its registry responds is removed.
 */
export function finalReason(
  reason: Reason,
  { kind }: EngineFault,
  { servingRevision, revision }: Pick<Deployment, 'servingRevision' | 'revision'>,
): Reason {
  const goesBack = servingRevision !== null && servingRevision !== revision;
  if (!goesBack || kind !== 'registry-unreachable') return reason;
  return { pods: reason.pods, because: reason.because };
}

/** Returns the affected pods, each with its message. */
export function blamedBy(reason: Reason): Map<string, string> {
  const words = describeReason({ ...reason, pods: [] });
  return new Map(reason.pods.map((pod) => [pod, words]));
}
