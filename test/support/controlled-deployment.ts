/** One deployment on an in-memory engine and store, for tests of the control layer. */

import type { AppSpec } from '../../src/config/spec/spec.ts';
import type { Control } from '../../src/control/control.ts';
import { createDiskState } from '../../src/control/disk/disk-state.ts';
import { createRouted } from '../../src/control/routing.ts';
import { findOrphans } from '../../src/control/sweep.ts';
import { reconcile } from '../../src/control/visit/reconcile.ts';
import { type Deployment, messageOf } from '../../src/deployment/deployment.ts';
import { describeEvent } from '../../src/deployment/event/event-text.ts';
import { type Egress, openEgress } from '../../src/deployment/workload/egress.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { sealWith } from '../../src/lib/seal.ts';
import { wait } from '../../src/lib/wait.ts';
import { addDeployment, deploymentById, type Intent, writeIntent } from '../../src/store/deployments.ts';
import { eventsAfter } from '../../src/store/events.ts';
import { acquireLeases, makeDue, releaseLease } from '../../src/store/leases.ts';
import { addRevision } from '../../src/store/revisions.ts';
import { servedRoutes } from '../../src/store/routes.ts';
import { provideSeed } from '../../src/store/seeds.ts';
import { addSession } from '../../src/store/sessions.ts';
import { deploymentOf, pod, specOf } from './deployments.ts';
import { emptyStore } from './empty-store.ts';
import { createTestEngine, type TestEngine } from './memory-engine.ts';
import { createTestWorld, type TestImage } from './test-world.ts';

const id = 'shop';

/** An application of a database with a volume and a public web server, and images for it. */
export const images = {
  'postgres:15': { readyAfter: 2 },
  'nginx:1': { readyAfter: 1 },
  'nginx:2': { isOnHost: false },
  'bad:1': { exitCode: 3 },
};
export const database = pod('db', {
  image: 'postgres:15',
  servicePorts: [5432],
  volumes: [{ name: 'data', sizeBytes: 1, mountPath: '/data' }],
});
export const web = pod('web', { image: 'nginx:1', path: '/', servicePorts: [80] });
export const spec = specOf(database, web);
export const withWeb = (image: string): AppSpec => specOf(database, { ...web, image });

export async function shopOnMemory(spec: AppSpec, images: Record<string, TestImage>) {
  // A pull changes what it pulls: each test has images of its own.
  const own = Object.entries(images).map(([name, image]) => [name, { ...image }]);
  const world = createTestWorld(Object.fromEntries(own));
  const clock = {
    now: Date.UTC(2026, 0, 1, 12),
    pass(ms: number) {
      clock.now += ms;
    },
  };
  /** The updates of the edge, one entry for each. */
  const published: string[] = [];
  /** The account's plan. */
  const plan: { egress: Egress } = { egress: openEgress };
  /** A wait for a change moves the clock. */
  const engineOf = () => createTestEngine({ world, now: () => clock.now, wait: async (ms) => clock.pass(ms) });
  const engine = engineOf();
  const control: Control = {
    db: await emptyStore(),
    seal: sealWith('tests'),
    engine,
    checkTags: engine.checkTags,
    refreshEdge: async () => {
      const [site] = await servedRoutes(control.db);
      published.push((site?.endpoints ?? []).map(({ path, address }) => `${path} ${address}`).join(', '));
    },
    routed: createRouted(),
    urlOf: (label) => new URL(`http://${label}.localhost`),
    egressOf: async () => plan.egress,
    settings: {
      deployDeadlineMs: 60_000,
      listenPatienceMs: 10_000,
      drainMs: 0,
      leaseMs: 15_000,
      pollMs: 5_000,
      resyncMs: 30_000,
      revisitMs: 600_000,
      imageDiskShare: 0.85,
      containerDiskBytes: 1000,
      diskFreeBytes: 1000,
      graceMs: 0,
      sleep: { freezeAfterMs: 0, freezeClaimedAfterMs: 0, stopAfterMs: 0 },
    },
    metrics: createMetrics(),
    disk: createDiskState(),
    now: () => clock.now,
    wait,
    random: () => 0.5,
    log: { info() {}, warn() {}, error() {} },
    epoch: { value: 0 },
  };
  const { db, seal } = control;
  await addSession(db, { id: 'session', token: 'token', createdAt: clock.now });
  await addDeployment(
    db,
    deploymentOf({ id, createdAt: clock.now, expiresAt: clock.now + 3_600_000, progressedAt: clock.now }),
  );
  await provideSeed(db, seal, id);
  await addRevision(db, seal, id, { number: 1, spec, document: '', createdAt: clock.now, askedBy: 'session' });
  await makeDue(db, id, clock.now);

  return {
    control,
    world,
    clock,
    published,
    plan,
    async deployment(): Promise<Deployment & { message: string }> {
      const deployment = (await deploymentById(db, id))!;
      return { ...deployment, message: messageOf(deployment) };
    },
    /** Each as often as it happened, in the order of the last occurrence. */
    async events(): Promise<string[]> {
      const events = await eventsAfter(db, id, 0, 1000);
      return events.flatMap((event) => Array.from({ length: event.count }, () => describeEvent(event)));
    },
    orphans: () => findOrphans(control.engine, db),

    async intend(intent: Intent): Promise<void> {
      await writeIntent(db, id, intent);
      await makeDue(db, id, clock.now);
    },
    async update(next: AppSpec): Promise<void> {
      const { revision } = (await deploymentById(db, id))!;
      await addRevision(db, seal, id, {
        number: revision + 1,
        spec: next,
        document: '',
        createdAt: clock.now,
        askedBy: 'session',
      });
      await writeIntent(db, id, { revision: revision + 1, state: 'deploying', progress: 0, explanation: null });
      await makeDue(db, id, clock.now);
    },

    /**
     * One visit on an engine that may be set to fail first; a visit that throws leaves its lease, like a dead process.
     */
    async visit(prepare: (engine: ReturnType<typeof createTestEngine>) => void = () => {}): Promise<string[]> {
      const engine = engineOf();
      prepare(engine);
      await visitOnce(control, engine, id);
      return engine.executed.map(({ operation }) => operation.kind);
    },
  };
}

/** The control with another engine and its registries. */
export const onEngine = (control: Control, engine: TestEngine): Control => ({
  ...control,
  engine,
  checkTags: engine.checkTags,
});

/** Another tenant's deployment on the same store, engine and clock, after its first visit. */
export async function neighbourOf(shop: Shop, id: string, spec: AppSpec) {
  const { control, world } = shop;
  await addNeighbour(shop, id, spec);
  await visitOnce(control, createTestEngine({ world }), id);
  const deployment = (await deploymentById(control.db, id))!;
  return { ...deployment, message: messageOf(deployment) };
}

/** A deployment without a visit so far. */
export async function addNeighbour({ control, clock }: Shop, id: string, spec: AppSpec): Promise<void> {
  const { db, seal } = control;
  await addSession(db, { id, token: id, createdAt: clock.now });
  const dates = { createdAt: clock.now, expiresAt: clock.now + 3_600_000, progressedAt: clock.now };
  await addDeployment(db, deploymentOf({ id, sessionId: id, label: id, ...dates }));
  await provideSeed(db, seal, id);
  await addRevision(db, seal, id, { number: 1, spec, document: '', createdAt: clock.now, askedBy: 'session' });
  await makeDue(db, id, clock.now);
}

async function visitOnce(control: Control, engine: TestEngine, id: string): Promise<void> {
  const { db, now, settings } = control;
  await makeDue(db, id, now());
  const [lease] = await acquireLeases(db, {
    now: now(),
    leaseMs: settings.leaseMs,
    horizonMs: settings.revisitMs,
    limit: 1,
  });
  const never = new AbortController().signal;
  const visit = { lease: lease!, stop: never, interrupt: () => never };
  const dueAt = await reconcile(visit, onEngine(control, engine));
  await releaseLease(db, lease!, { dueAt, observedHash: null });
}

export type Shop = Awaited<ReturnType<typeof shopOnMemory>>;

export async function stateOf(shop: Shop) {
  const { state, message } = await shop.deployment();
  return [state, message];
}
