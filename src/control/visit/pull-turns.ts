/**
 * Pulls of one client at a time. The engine has few places for downloads: whoever asks for many images waits for their
 * own, and others do not wait for them. Each process counts for itself.
 */
import type { Deployment } from '../../deployment/deployment.ts';
import type { OwnImageLimits, PullTerms } from '../../deployment/limits/pull-limits.ts';

export type Pulls = {
  /** By whose the deployment is now. */
  termsOf: (deployment: Deployment) => Promise<PullTerms>;
  turns: PullTurns;
};

export type PullTurns = {
  /** A place, if the client has one left and nobody of theirs waits. Disposing of it gives it back. */
  take(client: string, atOnce: number): Disposable | undefined;
  /** The next one that is given back. Rejects with the signal's reason. */
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
      // Who has been given a place meanwhile gives it back as everybody does.
      const abort = () => waiting.delete(resolve) && reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      return await promise.finally(() => signal.removeEventListener('abort', abort));
    },
  };
}

export type PullTurn = {
  /** Absent where nobody is limited. */
  pulls: Pulls | undefined;
  signal: AbortSignal;
  /** Does what only waits, while others may work. */
  aside?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
  /** Called after a wait: what the deployment has waited for is its client's, and no fault of a registry's. */
  waited: () => Promise<void>;
};

/** Does `work` in its turn, and tells it what the image may have. Rejects with the signal's reason. */
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
