/** Invariants at all times: after every call that had an effect, and in the end. */
import assert from 'node:assert/strict';
import type { Kysely } from 'kysely';
import type { AppSpec } from '../../src/config/spec/spec.ts';
import { findOrphans } from '../../src/control/sweep.ts';
import { type Deployment, isActive, messageOf } from '../../src/deployment/deployment.ts';
import { desiredAt, wantedRevision } from '../../src/deployment/desired.ts';
import { matchWorkloads } from '../../src/deployment/plan/matches.ts';
import { plan } from '../../src/deployment/plan/plan.ts';
import { type Egress, printEgress } from '../../src/deployment/workload/egress.ts';
import type { FacetName } from '../../src/engine/engine.ts';
import { reasonNotReady } from '../../src/engine/memory/why-not-ready.ts';
import type { MemoryContainer, MemoryWorld } from '../../src/engine/memory/world.ts';
import type { Seal } from '../../src/lib/seal.ts';
import { deploymentById } from '../../src/store/deployments.ts';
import { diskEventsKept, eventsAfter, otherEventsKept } from '../../src/store/events.ts';
import { revisionOf } from '../../src/store/revisions.ts';
import { routesVersion } from '../../src/store/routes.ts';
import type { Tables } from '../../src/store/rows.ts';
import { createTestEngine } from '../support/memory-engine.ts';
import { areSeamless, hasSite, isGood } from './application.ts';
import type { Edges } from './edges.ts';
import { checkForgotten, checkKept } from './grace.ts';
import type { Call } from './process.ts';

/** A deployment as its client knows it. */
export type Subject = {
  id: string;
  label: string;
  sessionToken: string;
  /** Specs by revision, from 1. */
  specs: AppSpec[];
  /** The number of retained intents. */
  intents: number;
  /** Something happened to its workloads behind our back. */
  isHarmed: boolean;
  /** Something happened for which an update may give up although its application is good. */
  isExcused: boolean;
  /** It had ended, and was brought back. */
  isRestored?: boolean;
};

/** Now and then the oldest are forgotten: until then there are some more. */
const maxEvents = diskEventsKept + otherEventsKept + 200;

type MemoryVolume = NonNullable<ReturnType<MemoryWorld['volumes']['get']>>;

export type Witness = {
  /** Only one process works on the store. */
  isAlone: boolean;
  subjects: Subject[];
  /** The volumes after the last call, by deployment and name. */
  volumes: Map<string, MemoryVolume>;
  /**
   * A process may continue to work on a deployment that another one owns, if it has stopped for longer than its lease.
   * One such call cannot be prevented, so strict checks apply only after the repair.
   */
  leasesOverlap: boolean;
  areRegistriesAway: boolean;
  /** How many images no pull gets any further with. */
  stalls: number;
};

export type Scene = {
  witness: Witness;
  edges: Pick<Edges, 'answering'>;
  world: MemoryWorld;
  facets: ReadonlySet<FacetName>;
  db: Kysely<Tables>;
  seal: Seal;
  egressOf: (deployment: Deployment) => Egress;
  now: () => number;
};

/** After every call that did something. */
export async function checkCall(call: Call, scene: Scene): Promise<void> {
  const { kind } = call.operation ?? {};
  if (kind === 'remove-network') await checkEnded(call.deploymentId!, scene);
  if (call.name === 'removeOwned') assert.ok(scene.witness.leasesOverlap, 'something was left for the sweep');
  await checkVolumes(scene);
  checkRoutes(call, scene);
  if (call.name === 'publish') await checkServing(scene);
}

/**
 * An update does not create it again. A process that was about to remove it continues when the deployment is restored.
 */
async function checkEnded(deploymentId: string, { db, witness }: Scene): Promise<void> {
  const deployment = await deploymentById(db, deploymentId);
  if (witness.subjects.some(({ id, isRestored }) => id === deploymentId && isRestored)) return;
  assert.equal(deployment?.state, 'expired', 'its network is removed although the deployment has not ended');
}

/** Volumes stay, and are not replaced, unless they are removed behind our back. */
async function checkVolumes(scene: Scene): Promise<void> {
  const { world, witness } = scene;
  for (const [key, volume] of witness.volumes) {
    if (world.volumes.get(key) !== volume) await checkForgotten(volume.deploymentId, scene.db);
  }
  witness.volumes = new Map(world.volumes);
}

/** An endpoint is a ready workload of that deployment, of a pod with that path and port. */
function checkRoutes(call: Call, { witness, world, edges }: Scene): void {
  const what = call.operation?.kind ?? call.name;
  for (const { id, label, specs, isHarmed } of witness.subjects) {
    for (const endpoint of edges.answering().flatMap(({ sites }) => sites.get(label) ?? [])) {
      // Its requests wait.
      if (endpoint.isAsleep) continue;
      const text = `after ${what}, ${label} leads ${endpoint.path} to ${endpoint.address}`;
      const found = containerAt(world, endpoint.address);
      if (!found) {
        assert.ok(isHarmed || witness.leasesOverlap, `${text}, which no workload has`);
        continue;
      }
      const { workload, deploymentId } = found;
      // Only the process of an edge knows which routes the edge has yet to drop.
      if (isHarmed && !witness.isAlone && deploymentId !== id) continue;
      assert.equal(deploymentId, id, `${text}, which is another's`);
      // An update may give a path to a pod that it leaves as it is.
      const pods = specs.flatMap((spec) => spec.pods).filter(({ name }) => name === workload.pod);
      const isMeant = pods.some(({ path }) => path === endpoint.path) && workload.ports[0] === endpoint.port;
      assert.ok(isMeant, `${text}, which is ${workload.pod}`);
      if (isHarmed || witness.leasesOverlap) continue;
      assert.equal(reasonNotReady(found), undefined, `${text}, which is not ready`);
    }
  }
}

/** Once it has served, a deployment without volumes in what is public serves until its end. */
async function checkServing({ witness, edges, db, now }: Scene): Promise<void> {
  const version = await routesVersion(db);
  const current = edges.answering().filter((edge) => edge.version === version);
  for (const { id, label, specs, isHarmed } of witness.subjects) {
    if (isHarmed || witness.leasesOverlap || !areSeamless(specs)) continue;
    const deployment = await deploymentById(db, id);
    const hasServed = deployment?.servingRevision != null;
    if (!deployment || !hasServed || deployment.state === 'expired' || !isActive(deployment, now())) continue;
    const { revision, servingRevision } = deployment;
    const isPublic = [revision, servingRevision!].every((number) => hasSite(specs[number - 1]!));
    for (const { sites } of current)
      assert.ok(!isPublic || sites.get(label)?.length, `${label} is not served any more`);
  }
}

function containerAt({ containers }: MemoryWorld, address: string): MemoryContainer | undefined {
  return [...containers.values()].find((container) => container.address === address);
}

/** When nothing has gone wrong for a while: everything is as it should be, and there is nothing else. */
export async function checkEnd(scene: Scene): Promise<void> {
  const { witness, world, db } = scene;
  const engine = createTestEngine({ world });
  assert.deepEqual(await findOrphans(engine, db), [], 'orphans');
  for (const subject of witness.subjects) {
    const deployment = await deploymentById(db, subject.id);
    assert.ok(deployment, 'a lost row');
    if (deployment.state === 'expired') await (deployment.goneAt === null ? checkKept : checkGone)(deployment, scene);
    else await checkPresent(deployment, subject, scene);
    await checkEvents(deployment, subject, scene);
  }
  const labels = witness.subjects.map(({ label }) => label);
  const served = scene.edges.answering();
  assert.ok(served.length > 0, 'no edge answers');
  for (const { sites } of served)
    assert.deepEqual(
      [...sites.keys()].filter((label) => !labels.includes(label)),
      [],
      'routes without a deployment',
    );
}

async function checkGone(deployment: Deployment, { edges, world }: Scene): Promise<void> {
  const owned = await createTestEngine({ world }).listOwned();
  assert.deepEqual(
    owned.filter(({ deploymentId }) => deploymentId === deployment.id),
    [],
  );
  assert.deepEqual(deployment.endpoints, []);
  for (const { sites } of edges.answering())
    assert.equal(sites.get(deployment.label), undefined, 'an ended deployment is served');
}

async function checkPresent(deployment: Deployment, subject: Subject, scene: Scene): Promise<void> {
  const { world, facets, db, seal, edges, now, egressOf } = scene;
  const { state, revision, servingRevision, explanation } = deployment;
  const wanted = wantedRevision(deployment);
  const spec = subject.specs[wanted - 1]!;
  const reported = `${state}, revision ${revision}, serving ${servingRevision}: ${messageOf(deployment)}`;
  assert.notEqual(state, 'deploying', reported);
  if (isGood(subject.specs[revision - 1]!) && !(subject.isExcused && servingRevision !== null))
    assert.equal(state, 'running', reported);
  if (!isGood(subject.specs[revision - 1]!)) assert.equal(state, 'failed', reported);
  if (state === 'running') assert.equal(servingRevision, revision, reported);
  if (state === 'failed' && servingRevision !== null && servingRevision !== revision)
    assert.equal(explanation?.kind === 'failed' && explanation.servingRevision, servingRevision, reported);

  const engine = createTestEngine({ world, facets });
  const stored = await revisionOf(db, seal, deployment.id, wanted);
  const url = new URL(`http://${deployment.label}.localhost`);
  const desired = desiredAt(deployment, stored, { now: now(), url, egress: egressOf(deployment), derive: seal.derive });
  assert.ok(desired.kind === 'running');
  const images = desired.workloads.map(({ workload }) => workload.image);
  const observed = await engine.observe(deployment.id, images);
  const matches = matchWorkloads(desired, observed);
  const kept = matches.flatMap(({ found }) => (found ? [found.name] : []));
  assert.deepEqual(
    observed.workloads.map(({ name }) => name).filter((name) => !kept.includes(name)),
    [],
    `these are no longer needed (${reported})`,
  );
  for (const { volume, sizeBytes } of desired.volumes)
    assert.ok((observed.volumeSizes?.[volume] ?? 0) >= sizeBytes, `volume ${volume} is not there (${reported})`);
  assert.equal(observed.egress, facets.has('isolation') ? printEgress(desired.egress) : undefined);
  for (const { sites } of edges.answering())
    assert.deepEqual(sites.get(deployment.label) ?? [], deployment.endpoints, 'an edge serves something else');
  if (!isGood(spec)) return;
  assert.deepEqual(
    matches.filter(({ found }) => !found?.isReady).map(({ wanted }) => wanted.workload.name),
    [],
    `not ready (${reported})`,
  );
  assert.deepEqual(plan(desired, observed, deployment.endpoints), [], `a second pass plans something (${reported})`);
}

/**
 * Every intent has exactly one event, all are counted, and the last reported state, if it is retained, is the state.
 */
async function checkEvents({ id, state }: Deployment, { intents }: Subject, { db }: Scene): Promise<void> {
  const events = await eventsAfter(db, id, 0, 10_000);
  assert.equal(new Set(events.map(({ number }) => number)).size, events.length, 'one number for two events');
  const reported = events.reduce((sum, event) => sum + (event.kind === 'forgotten' ? event.events : event.count), 0);
  assert.equal(reported, events.at(-1)?.sequence, 'a reported event is neither written nor counted');
  assert.ok(events.length <= maxEvents, 'more events are kept than there may be');
  assert.equal(events.filter(({ kind }) => kind === 'intent').length, intents, 'a lost intent');
  const last = events.findLast((event) => event.kind === 'state');
  if (last || events[0]?.kind !== 'forgotten') assert.equal(last?.state ?? 'deploying', state);
}
