/**
 * Limits the concurrent pulls of one client. The engine has few download slots: a client that pulls many images waits
 * for its own pulls and does not delay other clients. Each process counts separately.
 */
import type { Deployment } from '../../deployment/deployment.ts';
import type { OwnImageLimits, PullTerms } from '../../deployment/limits/pull-limits.ts';

export type Pulls = {
  /** Returns the terms of the deployment's current owner. */
  termsOf: (deployment: Deployment) => Promise<PullTerms>;
  turns: PullTurns;
};

export type PullTurns = {
  /** Takes a slot if the client has one left and none of its pulls waits. Disposing releases the slot. */
  take(client: string, atOnce: number): Disposable | undefined;
  /** Resolves with the next released slot. Rejects with the signal's reason. */
  wait(client: string, signal: AbortSignal): Promise<Disposable>;
};

export function createPullTurns(): PullTurns {
  const clients = new Map<string, { taken: number; waiting: Set<(place: Disposable) => void> }>();

  function placeOf(client: string): Disposable {
    let isTaken = true;
    return {
      [Symbol.dispose]() {
        if (!isTaken) return;
        isTaken = false;
        const { waiting } = clients.get(client)!;
        const [next] = waiting;
        if (next) {
          waiting.delete(next);
          next(placeOf(client));
        } else giveBack(client);
      },
    };
  }

  function giveBack(client: string): void {
    const known = clients.get(client)!;
    known.taken--;
    if (known.taken === 0) clients.delete(client);
  }

  return {
    take(client, atOnce) {
      const known = clients.get(client) ?? { taken: 0, waiting: new Set() };
      if (known.taken >= atOnce || known.waiting.size > 0) return undefined;
      known.taken++;
      clients.set(client, known);
      return placeOf(client);
    },
    async wait(client, signal) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<Disposable>();
      const { waiting } = clients.get(client)!;
      waiting.add(resolve);
      // If a slot was granted before the abort, its holder disposes of it as usual.
      const abort = () => waiting.delete(resolve) && reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      return await promise.finally(() => signal.removeEventListener('abort', abort));
    },
  };
}

export type PullTurn = {
  /** Absent if pulls are not limited. */
  pulls: Pulls | undefined;
  signal: AbortSignal;
  /** Runs work that only waits, while other visits continue. */
  aside?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
  /** Called after a wait: what the deployment has waited for is its client's, and no fault of a registry's. */
  waited: () => Promise<void>;
};

/** Runs `work` in its turn with the limits of the image. Rejects with the signal's reason. */
export async function pullInTurn(
  deployment: Deployment,
  { pulls, signal, aside = (work) => work(), waited }: PullTurn,
  work: (limits?: OwnImageLimits) => Promise<void>,
): Promise<void> {
  if (!pulls) return await work();
  const { client, atOnce, image } = await pulls.termsOf(deployment);
  const atHand = pulls.turns.take(client, atOnce);
  using _ = atHand ?? (await aside(() => pulls.turns.wait(client, signal)));
  if (!atHand) await waited();
  await work(image);
}
