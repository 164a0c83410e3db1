/** PURE. Namespaces that are being removed: how long that may take, and the report on those that hang. */
import type { Instant } from '../../deployment/deployment.ts';
import type { FoundNamespace } from './objects.ts';

/** One takes 8 to 26 s to go (measured); what takes longer than this waits for something that may never come. */
export const usualRemovalMs = 60_000;

/** `because`: of the cluster, for the operator. */
export type Hanging = { namespace: string; since: Instant; because: string };

/** Milliseconds for which it is still worth a wait. */
export function removalLeftMs({ metadata }: FoundNamespace, now: Instant): number {
  return Math.max(0, removedAt(metadata.deletionTimestamp) + usualRemovalMs - now);
}

/** Namespaces that should have been removed long ago. */
export function hangingNamespaces(namespaces: readonly FoundNamespace[], now: Instant): Hanging[] {
  return namespaces.flatMap((namespace): Hanging[] => {
    const { metadata, status } = namespace;
    if (metadata.deletionTimestamp === undefined || removalLeftMs(namespace, now) > 0) return [];
    const reasons = (status?.conditions ?? []).flatMap((condition) =>
      condition.status === 'True' && condition.message ? [condition.message] : [],
    );
    const because = reasons.join(' ') || 'the cluster does not say why';
    return [{ namespace: metadata.name, since: removedAt(metadata.deletionTimestamp), because }];
  });
}

function removedAt(deletionTimestamp: string | undefined): Instant {
  return Date.parse(deletionTimestamp ?? '') || 0;
}
