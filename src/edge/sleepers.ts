/** The deployments whose requests wait at this edge because they sleep, and what wakes them up. */
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from '../store/database.ts';
import { wakeDeployment } from '../store/sleep.ts';
import type { RouteListener } from './route-feed.ts';
import { deploymentAt } from './served-sites.ts';

export type Sleepers = RouteListener & {
  /** Resolves when the edge no longer holds requests of the deployment back, or at the abort. */
  untilAwake(deploymentId: string, signal: AbortSignal): Promise<void>;
};

export function createSleepers(): Sleepers {
  const asleep = new Map<string, PromiseWithResolvers<void>>();

  function addRoutes(routes: Parameters<RouteListener['addRoutes']>[0]): void {
    for (const { id, endpoints } of routes) {
      const isAsleep = endpoints.some((endpoint) => endpoint.isAsleep);
      if (isAsleep && !asleep.has(id)) asleep.set(id, Promise.withResolvers());
      if (isAsleep) continue;
      asleep.get(id)?.resolve();
      asleep.delete(id);
    }
  }

  return {
    addRoutes,
    replaceRoutes(routes) {
      const present = new Set(routes.map(({ id }) => id));
      addRoutes([...asleep.keys()].filter((id) => !present.has(id)).map((id) => ({ id, endpoints: [] })));
      addRoutes(routes);
    },
    async untilAwake(deploymentId, signal) {
      const aborted = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => aborted.resolve(), { once: true });
      if (!signal.aborted) await Promise.race([asleep.get(deploymentId)?.promise, aborted.promise]);
    },
  };
}

/** A visitor of a page waits no longer, and a client of an API gets an answer before its own timeout. */
const maxWaitMs = 15_000;

/** Requests of one site that wait at once; further ones are answered with 503. */
const maxWaiting = 1_000;

export type WakerParts = {
  db: Database;
  sleepers: Pick<Sleepers, 'untilAwake'>;
  /** Looks at the deployment now. */
  wake: (deploymentId: string) => void;
  appsDomain: string;
  now: () => Instant;
};

/**
 * Returns a function that wakes up the deployment of a host. It resolves when its requests are routed again, when that
 * takes too long, or at once if the deployment does not sleep. All requests of a host share one wake.
 */
export function createWaker({ db, sleepers, wake, appsDomain, now }: WakerParts): (host: string) => Promise<void> {
  const waking = new Map<string, { done: Promise<void>; waiting: number }>();

  async function wakeAt(host: string): Promise<void> {
    const signal = AbortSignal.timeout(maxWaitMs);
    const found = await deploymentAt(db, host, appsDomain);
    if (!found) return;
    const { id, sleep, wakeRequestedAt } = found.deployment;
    if (sleep === null && wakeRequestedAt === null) return;
    if (sleep !== null && (await wakeDeployment(db, id, now()))) wake(id);
    await sleepers.untilAwake(id, signal);
  }

  return async (host) => {
    const known = waking.get(host) ?? {
      done: wakeAt(host).finally(() => waking.delete(host)),
      waiting: 0,
    };
    waking.set(host, known);
    if (known.waiting >= maxWaiting) return;
    known.waiting += 1;
    await known.done;
  };
}
