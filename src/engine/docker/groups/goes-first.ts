/**
 * PURE. Who loses memory first when all deployments together have hardly any left: whoever holds more than was requested
 * for it. The kernel kills processes, the largest first, and would spare whoever is spread over many small ones; so the
 * scores that it adds to their size are kept by what was requested, and by what whole deployments hold.
 */

/** Of a process that goes before every other. */
export const firstScore = 1000;

/**
 * When the machine itself runs out of memory, tenants go before the engine, the edge and the service, which have 0. And
 * when a container of gVisor's does, its kernel goes and not one of its helpers (1), which it would wait for for ever.
 */
const leastScore = 500;

/**
 * What is added to the size of a container's processes, in thousandths of `allBytes`, which all deployments may hold
 * together: as much less as was requested. Who holds more than that is larger, so far, than who holds less.
 */
export function scoreOf(requestedBytes: number, allBytes: number): number {
  const score = firstScore - 1 - Math.round((1000 * requestedBytes) / Math.max(allBytes, 1));
  return Math.min(firstScore - 1, Math.max(leastScore, score));
}

export type HeldByContainer = { id: string; heldBytes: number; requestedBytes: number };

export type HeldByDeployment = { deploymentId: string; containers: readonly HeldByContainer[] };

/** Below this share of the limit nobody is in danger. Whoever takes 1 GB a second is seen in time on 2 GB and more. */
const tightShare = 0.6;

/** Several take as much as they can at once; who has less than this part of what the worst has is none of them. */
const worstShare = 0.5;

/** The containers that go first, by their ids: of the deployments furthest above their requests, those above theirs. */
export function whoGoesFirst(
  deployments: readonly HeldByDeployment[],
  heldBytes: number,
  limitBytes: number,
): Set<string> {
  if (heldBytes < limitBytes * tightShare) return new Set();
  const excesses = deployments.map(({ containers }) => containers.reduce((sum, each) => sum + excessOf(each), 0));
  const worst = Math.max(0, ...excesses);
  return new Set(
    deployments
      .filter((_, index) => excesses[index]! > 0 && excesses[index]! >= worst * worstShare)
      .flatMap(({ containers }) => containers.filter((each) => excessOf(each) > 0).map(({ id }) => id)),
  );
}

function excessOf({ heldBytes, requestedBytes }: HeldByContainer): number {
  return Math.max(0, heldBytes - requestedBytes);
}
