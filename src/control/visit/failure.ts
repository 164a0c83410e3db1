/** Why a deployment is given up, or what keeps it waiting. Pure. */
import type { Deployment } from '../../deployment/deployment.ts';
import type { Running } from '../../deployment/desired.ts';
import type { Operation } from '../../deployment/plan/operation.ts';
import { describeReason, type Reason } from '../../deployment/status/reason.ts';
import { EngineFault } from '../../engine/engine.ts';

/** The advice where nothing better is known. */
export function linesHint(lastLines: string[]): string {
  return lastLines.length > 0 ? 'its last lines may say why' : 'it has written nothing';
}

/** The fault with the pods that it is about: its own, those of the operation, or those that run from its image. */
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

/** What is told of it; of what no engine has said, nothing but that it is so. */
export function reasonOf(error: unknown): Reason {
  if (!(error instanceof EngineFault)) return { pods: [], because: 'The engine failed to complete an operation' };
  const { pods, message, hint } = error;
  return { pods: [...pods], because: message.replace(/\.$/, ''), ...(hint !== undefined && { hint }) };
}

/**
 * What is told of a fault that ends a try. Where an earlier revision serves, this one is not tried again: it does not
 * start by itself once its registry answers, as the advice says.
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

/** The pods that it is about, with what is told of each. */
export function blamedBy(reason: Reason): Map<string, string> {
  const words = describeReason({ ...reason, pods: [] });
  return new Map(reason.pods.map((pod) => [pod, words]));
}
