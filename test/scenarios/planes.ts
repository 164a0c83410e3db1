/** Several services on one PostgreSQL and one engine, each with an edge of its own at a port of its own. */
import { freePort } from '../free-port.ts';
import { type Berth, type BerthOptions, createBerth } from './berth.ts';

export type Planes = AsyncDisposable & {
  /** The first one has the database. */
  all: readonly Berth[];
};

/** None of them serves yet. `env` holds further settings of each. */
export async function createPlanes(
  count: number,
  env: Record<string, string> = {},
  { engine }: Pick<BerthOptions, 'engine'> = {},
): Promise<Planes> {
  await using opening = new AsyncDisposableStack();
  const port = String(await freePort());
  const shared = {
    BERTH_SECRET_KEY: 'a key that all services of these tests share',
    BERTH_BASE_URL: `http://localhost:${port}`,
    // As by default: what is under way on what an update replaces is answered, also on a busy machine.
    BERTH_TIMEOUTS: 'drain=30s',
    ...env,
  };
  const all: Berth[] = [];
  const of = engine === undefined ? {} : { engine };
  const add = (berth: Berth) => {
    all.push(berth);
    opening.defer(() => berth.destroy());
    return berth;
  };
  const first = add(await createBerth({ BERTH_PORT: port, ...shared }, { ...of, store: 'postgresql' }));
  const { BERTH_DATABASE_URL = '' } = first.environment;
  while (all.length < count) add(await createBerth({ ...shared, BERTH_DATABASE_URL }, { ...of, store: 'sqlite' }));
  // First all services: one that still works would begin again what the end of another one takes away.
  opening.defer(async () => {
    for (const plane of all) await plane.end('SIGKILL');
  });
  const open = opening.move();
  return { all, [Symbol.asyncDispose]: () => open.disposeAsync() };
}
