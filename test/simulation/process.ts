/** A process of the service: the real loop on the store and the engine, which can die or stand still at any call. */
import { type Driver, Kysely } from 'kysely';
import type { Control } from '../../src/control/control.ts';
import { createDiskState } from '../../src/control/disk/disk-state.ts';
import { type Loop, startLoop } from '../../src/control/loop.ts';
import { createRouted, storedRoutes } from '../../src/control/routing.ts';
import { createPausedClock } from '../../src/control/visit/paused-clock.ts';
import { createRouteFeed } from '../../src/edge/route-feed.ts';
import { EngineFault, type FacetName } from '../../src/engine/engine.ts';
import type { MemoryCall } from '../../src/engine/memory/memory-call.ts';
import type { MemoryWorld } from '../../src/engine/memory/world.ts';
import { latestOnly } from '../../src/lib/latest-only.ts';
import type { Wait } from '../../src/lib/wait.ts';
import { spreadVisits, takeOver } from '../../src/store/leases.ts';
import { routesVersion } from '../../src/store/routes.ts';
import type { Tables } from '../../src/store/rows.ts';
import { createTestEngine, type TestEngine } from '../support/memory-engine.ts';
import type { Clock } from './clock.ts';
import { type Edges, renewMs } from './edges.ts';
import { dialectOn, faultyDriver, type StoreFaults } from './faulty-store.ts';
import type { Act, Blow } from './story.ts';

export type Call = { name: MemoryCall['name'] | 'publish' } & Omit<MemoryCall, 'name'>;

/** The environment of a process. */
export type Surroundings = Omit<
  Control,
  'db' | 'engine' | 'checkTags' | 'refreshEdge' | 'routed' | 'now' | 'wait' | 'disk' | 'pausedClock'
> & {
  /** No other process works on the store. */
  isAlone: boolean;
  clock: Clock;
  world: MemoryWorld;
  facets: ReadonlySet<FacetName>;
  driver: Driver;
  /** One to each process. */
  edges: Edges;
  /** The edge of a process has other routes than before. */
  tellRoutes: (process: number) => void;
  /** The fate of the next call, and its duration before and after its effect. */
  fateOf: (call: Call, process: number) => { blow?: Blow; beforeMs: number; afterMs: number };
  /** Sends a request for one deployment. */
  ask: (act: Act) => Promise<void>;
  /** Sends a request for each deployment. */
  overtake: () => Promise<void>;
  /** The fate of its queries. */
  store: StoreFaults;
  /** How far its clock on the wall is ahead of the others'. */
  skewMs: (process: number) => number;
  /** A process, known by its function, begins an operation on a deployment; what is returned is called at its end. */
  begins: (deploymentId: string, isAlive: () => boolean) => () => void;
  /** Called when a call has done something. */
  witness: (call: Call) => Promise<void>;
};

export type Process = {
  /** The ID by which others know what it holds. */
  id: string;
  isAlive(): boolean;
  /** Another process is known to have died. */
  takeOverFrom(id: string): void;
  wake(deploymentId: string): void;
  /** Another process has changed routes. */
  hearRoutes(): void;
  kill(): void;
  /** Ends in good order; `isAlive` says when it has. */
  stop(): Promise<void>;
  freeze(ms: number): void;
  thaw(): void;
};

/** `number` identifies it in the report of the run. */
export function startProcess(number: number, surroundings: Surroundings): Process {
  const { clock, world, facets, random } = surroundings;
  let isDead = false;
  let frozenUntil = 0;
  let loop: Loop | undefined;

  const id = `process${number}at${clock.elapsed().toFixed(0)}`;
  const isAlive = () => !isDead;

  /** Nothing gets past here in a dead process, nor in one that stands still. */
  async function alive(): Promise<void> {
    while (!isDead && frozenUntil > clock.elapsed()) await clock.wait(frozenUntil - clock.elapsed());
    if (isDead) await new Promise(() => {});
  }

  function freeze(ms: number): void {
    frozenUntil = Math.max(frozenUntil, clock.elapsed() + ms);
  }

  const wait: Wait = async (ms, signal) => {
    await clock.wait(ms, signal);
    await alive();
  };

  async function weather<T>(call: Call, perform: (extent?: 'halfway') => T): Promise<Awaited<T>> {
    await alive();
    if (facets.has('disk') && isGlance(call)) return await perform();
    const { blow, beforeMs, afterMs } = surroundings.fateOf(call, number);
    const { operation, deploymentId } = call;
    const strike = async (when: Blow['when']) => {
      const { ask, overtake } = surroundings;
      if (blow?.when === when) await suffer(blow.what, { wait, freeze, ask, overtake, kill: () => (isDead = true) });
      await alive();
    };
    const end = operation && surroundings.begins(deploymentId!, isAlive);
    try {
      await wait(beforeMs);
      await strike('before');
      if (blow?.when === 'halfway') {
        if (operation?.kind === 'start') await perform('halfway');
        await strike('halfway');
      }
      const result = await perform();
      await surroundings.witness(call);
      await strike('after');
      await wait(afterMs);
      return result;
    } finally {
      end?.();
    }
  }

  const store: StoreFaults = { ...surroundings.store, ready: alive };
  const open = (faults: StoreFaults) =>
    new Kysely<Tables>({ dialect: dialectOn(faultyDriver(surroundings.driver, faults)) });
  const db = open(store);
  /** The clock of this process. */
  const now = () => clock.now() + surroundings.skewMs(number);
  const log = { info() {}, warn() {} };
  const edge = surroundings.edges.of(number);
  const feed = createRouteFeed(db, edge.told, { appsDomain: 'localhost', log });
  async function refresh(): Promise<void> {
    const before = feed.version();
    await feed.refresh();
    edge.renew(feed.version()!);
    if (feed.version() !== before) surroundings.tellRoutes(number);
  }

  /** Its edge soon learns of missed changes, and keeps answering. */
  async function renewForEver(): Promise<void> {
    for (;;) {
      await wait(renewMs);
      await refresh().catch(() => {});
    }
  }

  const engine = createTestEngine({ world, wait, intercept: weather, now: clock.now, facets });
  const control: Control = {
    ...surroundings,
    db,
    wait,
    now,
    disk: createDiskState(),
    routed: createRouted(),
    pausedClock: createPausedClock(clock.elapsed),
    engine: engineOf(engine, { wait, random }, alive),
    checkTags: engine.checkTags,
    refreshEdge: latestOnly<void>(() => weather({ name: 'publish' }, refresh)),
    ...(!surroundings.isAlone && {
      process: { id, isSeen: () => true },
      othersServe: async (stop) => edge.othersServe(await routesVersion(db), { wait, stop }),
      othersLead: async (version) => edge.othersLead(version),
    }),
  };

  /** As `main.ts` does it. */
  async function start(): Promise<void> {
    try {
      control.routed = await storedRoutes(db);
      await control.refreshEdge();
      const spread = { now: now(), spreadMs: surroundings.settings.resyncMs, random };
      // On PostgreSQL, processes do not take leases that another one may still hold.
      await (surroundings.isAlone ? takeOver(db, spread) : spreadVisits(db, spread));
      if (!surroundings.isAlone) void renewForEver();
      loop = startLoop(control);
    } catch {
      isDead = true;
    }
  }
  void start();

  return {
    id,
    isAlive,
    takeOverFrom: (dead) => void alive().then(() => loop?.takeOverFrom(dead)),
    wake: (deploymentId) => loop?.wake(deploymentId),
    hearRoutes: () => void alive().then(() => refresh().catch(() => {})),
    kill: () => {
      isDead = true;
    },
    async stop() {
      await loop?.stop();
      isDead = true;
    },
    freeze,
    thaw: () => {
      frozenUntil = 0;
    },
  };
}

/** The disk is looked at again and again, and nothing becomes of it: it takes no time, and no blow is spent on it. */
function isGlance({ name }: Call): boolean {
  return name === 'capacity' || name === 'disk.use';
}

/** How long the adapter of a real engine waits for the answer to a change. */
const changePatienceMs = 120_000;

async function suffer(
  what: Blow['what'],
  {
    wait,
    kill,
    freeze,
    ask,
    overtake,
  }: Pick<Surroundings, 'ask' | 'overtake'> & { wait: Wait; kill: () => void; freeze: (ms: number) => void },
): Promise<void> {
  switch (what.kind) {
    case 'fault':
      throw what.fault === 'foreign' ? new Error('connection reset') : new EngineFault(what.fault, 'Simulated.');
    case 'hang':
      await wait(changePatienceMs);
      throw new EngineFault(what.fault, 'Simulated silence.');
    case 'asked':
      return await ask(what.act);
    case 'overtaken':
      await overtake();
      throw new Error('connection reset');
    case 'slow':
      await wait(what.ms);
      return;
    case 'death':
      kill();
      return;
    case 'freeze':
      freeze(what.ms);
  }
}

/** A crash loop changes at every look here; a real engine waits between restarts. */
const lookAgainMs = 1_000;

/** The share of a real engine's events that arrive: the service must not depend on them. */
const heardShare = 0.75;

/** A dead process hears nothing, and one that stands still hears it later. */
function engineOf(
  engine: TestEngine,
  { wait, random }: { wait: Wait; random: () => number },
  alive: () => Promise<void>,
): TestEngine {
  return {
    ...engine,
    change: async (...requested) => {
      await engine.change(...requested);
      await wait(lookAgainMs, requested[3]);
    },
    watch: (onChange, signal) =>
      engine.watch((deploymentId) => {
        if (random() < heardShare) void alive().then(() => onChange(deploymentId));
      }, signal),
  };
}
