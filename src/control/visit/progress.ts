/** Progress of a visit between two observations. */
import type { Operation } from '../../deployment/plan/operation.ts';
import type { Observed } from '../../deployment/workload/workload.ts';

/** Returns the expected observation after an operation, for progress events before the next observation. */
export function afterOperation(observed: Observed, operation: Operation): Observed {
  if (operation.kind === 'pull') {
    const { present = [], local = [] } = observed.images ?? {};
    return { ...observed, images: { present: [...present, operation.image], local } };
  }
  if (operation.kind !== 'start') return observed;
  const { name, pod, revision, replica, fingerprint } = operation.workload;
  const others = observed.workloads.filter((workload) => workload.name !== name);
  const started = { name, pod, revision, replica, fingerprint, phase: 'running', isReady: false, restarts: 0 } as const;
  return { ...observed, workloads: [...others, started] };
}
