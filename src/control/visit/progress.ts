/** What a visit can tell of progress before it looks at the engine again. */
import type { Operation } from '../../deployment/plan/operation.ts';
import type { Observed } from '../../deployment/workload/workload.ts';

/** What will be observed at least, once the operation is done: enough to tell its owner before the next look. */
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
