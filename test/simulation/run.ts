/** One run: plays a story on the service, then stops all faults, and checks that all is well. */

import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Deployment } from '../../src/deployment/deployment.ts';
import { type Egress, openEgress } from '../../src/deployment/workload/egress.ts';
import type { FacetName } from '../../src/engine/engine.ts';
import { allFacets } from '../../src/engine/memory/memory.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { writeIntent } from '../../src/store/deployments.ts';
import { atOnce, makeDue } from '../../src/store/leases.ts';
import { randomFrom } from '../random.ts';
import { createTestEngine } from '../support/memory-engine.ts';
import { createTestWorld } from '../support/test-world.ts';
import { fillEvents, perform, type Stage, setRegistries } from './acts.ts';
import { newImages } from './application.ts';
import { type Base, emptyStore } from './base.ts';
import { createClock } from './clock.ts';
import { createEdges } from './edges.ts';
import { graceOf, withGrace } from './grace.ts';
import { type Call, type Process, type Surroundings, startProcess } from './process.ts';
import { checkSecondPass, checkTransitions, converge } from './recovery.ts';
import { settings } from './settings.ts';
import { type Blow, describeAct, describeEffect, type Story } from './story.ts';
import { createVisitors } from './visitors.ts';
import { checkCall, checkEnd, type Witness } from './witness.ts';

const minute = 60_000;
/** More than a quiet system ever needs. */
const maxCalls = 1_500;
const maxWrites = 50_000;
/** In one of so many stories, deployments have more events than are retained. */
const eventfulEvery = 16;

/** The egress in the plan of the only account. */
const egressOfOwner: Egress = { kind: 'none' };

export type Reporter = {
  /** Something that is counted has happened. */
  note: (what: string) => void;
  /** A line for each thing that happens. */
  report?: (line: string) => void;
};

const metrics = createMetrics();

/** Throws when something is not as it must be. */
export async function run(reported: Story, base: Base, { note, report = () => {} }: Reporter): Promise<void> {
  const { db, driver, api } = base;
  const story = withGrace(reported);
  const graceMs = graceOf(story);
  api.service.settings.graceMs = graceMs;
  await emptyStore(db);
  seedIds(randomFrom(story.seed + 1));
  const { seal } = api.service;
  const clock = createClock(Date.UTC(2026, 0, 1, 12));
  // The seed decides: another random choice would change what all seeds stand for.
  const facets = new Set<FacetName>([...story.facets, ...(story.seed % 4 > 0 ? (['freezer'] as const) : [])]);
  const world = createTestWorld(newImages({ areAllOfRegistries: !facets.has('images') }));
  const witness: Witness = {
    isAlone: story.workers === 1,
    subjects: [],
    volumes: new Map(),
    leasesOverlap: false,
    areRegistriesAway: false,
    stalls: 0,
  };
  const egressOf = ({ claimedAt }: Deployment) => (claimedAt === null ? openEgress : egressOfOwner);
  const edges = createEdges(clock, { areShared: story.workers > 1 });
  const scene = { witness, edges, world, facets, db, seal, egressOf, now: clock.now };
  const random = randomFrom(story.seed);
  const processes: Process[] = [];
  const calledOf = new Map<string, number>();
  let failure: unknown;
  let calls = 0;
  let writes = 0;
  let commits = 0;
  let reads = 0;
  let isOver = false;
  /** The running calls, with their deployment and process. */
  const underWay: { deploymentId: string; isAlive: () => boolean }[] = [];

  const sleep = {
    freezeAfterMs: story.sleepAfterMs,
    freezeClaimedAfterMs: story.sleepAfterMs,
    stopAfterMs: 3 * story.sleepAfterMs,
  };

  const surroundings: Surroundings = {
    isAlone: story.workers === 1,
    clock,
    world,
    facets,
    driver,
    seal,
    metrics,
    random,
    settings: { ...settings, graceMs, sleep },
    egressOf: async (deployment) => egressOf(deployment),
    urlOf: (label) => new URL(`http://${label}.localhost`),
    epoch: { value: 0 },
    log: {
      warn: (_, message) => report(`    ${message}`),
      info: (fields) => {
        if ('because' in fields && String(fields.because).includes('has stalled')) note('late pull');
      },
      error: (fields, message) => report(`    ${message}: ${'err' in fields ? fields.err : ''}`),
    },
    edges,
    tellRoutes(teller) {
      for (const [number, process] of processes.entries())
        if (number !== teller && random() < story.heardShare) process.hearRoutes();
    },
    fateOf(call, process) {
      calls++;
      if (calls > maxCalls) failure ??= new Error('it goes round in circles');
      const kind = call.operation?.kind ?? call.name;
      calledOf.set(kind, (calledOf.get(kind) ?? 0) + 1);
      const isMeant = ({ of, call: number }: Blow) =>
        number === (of === 'any' ? calls : of === kind && calledOf.get(kind));
      const blow = isOver ? undefined : story.blows.find(isMeant);
      report(`  ${clock.elapsed().toFixed(0)} ms, process ${process}, call ${calls}: ${kind} ${describeCall(call)}`);
      if (blow) {
        note(`blow ${blow.what.kind}`);
        report(`    ${blow.when} it: ${describeEffect(blow.what)}`);
        excuse(blow, call);
      }
      const afterMs = random() * (call.operation?.kind === 'pull' ? 3_000 : 30);
      return { ...(blow && { blow }), beforeMs: random() * 5, afterMs };
    },
    ask: (act) => perform(act, stage),
    overtake: async () => {
      for (const { id } of witness.subjects) {
        await writeIntent(db, id, {});
        await makeDue(db, id, atOnce(clock.now()));
      }
    },
    skewMs: (process) => (story.workers === 1 ? 0 : story.skewsMs[process]!),
    begins(deploymentId, isAlive) {
      const isOthers = (work: (typeof underWay)[number]) =>
        work.deploymentId === deploymentId && work.isAlive !== isAlive && work.isAlive();
      if (underWay.some(isOthers) && !witness.leasesOverlap)
        failure ??= new Error(`two visits work on ${deploymentId} at once`);
      const work = { deploymentId, isAlive };
      underWay.push(work);
      return () => void underWay.splice(underWay.indexOf(work), 1);
    },
    store: {
      losesWrite() {
        writes++;
        if (writes > maxWrites) {
          failure ??= new Error('it goes round in circles, without a call');
          throw failure;
        }
        return happens(story.lostWrites.includes(writes), 'lost write');
      },
      losesAnswer: () => happens(story.lostAnswers.includes(++commits), 'lost answer'),
      delaysRead() {
        const late = story.lateReads.find(({ read }) => read === reads + 1);
        reads++;
        return late && happens(true, 'late read') ? clock.wait(late.ms) : undefined;
      },
    },
    witness: async (call) => {
      note(`call ${call.operation?.kind ?? call.name}`);
      // A process goes on although something is wrong; the run does not.
      await checkCall(call, scene).catch((error) => {
        failure ??= error;
      });
    },
  };

  function happens(isMeant: boolean, what: string): boolean {
    if (!isMeant || isOver) return false;
    note(what);
    report(`    ${what}`);
    return true;
  }

  /** The consequences that a blow may rightly have. */
  function excuse({ what }: Blow, { deploymentId }: Call): void {
    if (what.kind === 'freeze' && what.ms >= settings.leaseMs) witness.leasesOverlap = true;
    const isFinal = what.kind === 'fault' && what.fault === 'bad-request';
    for (const subject of witness.subjects)
      if (isFinal && (deploymentId === undefined || subject.id === deploymentId)) subject.isExcused = true;
  }

  async function pass(ms: number): Promise<void> {
    const until = clock.elapsed() + ms;
    while (clock.elapsed() < until) {
      await clock.pass(Math.min(5_000, until - clock.elapsed()));
      if (failure) throw failure;
      revive();
    }
    await clock.pass(0);
    if (failure) throw failure;
  }

  function revive(): void {
    for (let number = 0; number < story.workers; number++) {
      const before = processes[number];
      if (before?.isAlive()) continue;
      processes[number] = startProcess(number, surroundings);
      if (before) for (const other of processes) other.takeOverFrom(before.id);
    }
  }

  const stage: Stage = {
    story,
    api,
    db,
    witness,
    world,
    clock,
    processes,
    random,
    engine: createTestEngine({ world }),
    intents: 0,
    loseReply: base.loseReply,
    note,
    report,
  };

  const visitors = createVisitors(stage);

  try {
    revive();
    void visitors.begin(() => isOver).catch((error: unknown) => (failure ??= error));
    const isEventful = story.seed % eventfulEvery === 0;
    for (const [index, { afterMs, act }] of story.acts.entries()) {
      await pass(afterMs);
      if (isEventful && index === Math.floor(story.acts.length / 2)) await fillEvents(stage);
      note(`act ${act.kind}`);
      report(`${clock.elapsed().toFixed(0)} ms: ${describeAct(act)}`);
      await perform(act, stage);
    }
    await pass(minute);
    isOver = true;
    report('From here on nothing goes wrong any more.');
    for (const process of processes) process.thaw();
    setRegistries(world, false);
    Object.assign(sleep, { freezeAfterMs: 0, freezeClaimedAfterMs: 0, stopAfterMs: 0 });
    await converge(scene, clock, pass, async () => {
      assert.equal(await visitors.visit(witness.subjects), 0, 'a deployment still sleeps');
      await checkEnd(scene);
    });
    await checkTransitions(db);
    const { length } = await db.selectFrom('deployments').select('id').execute();
    assert.equal(length, witness.subjects.length, 'more or fewer deployments than requested');
    await checkSecondPass(db, clock, pass, world);
    for (const { state } of await db.selectFrom('deployments').select('state').execute()) note(`ends ${state}`);
    if (witness.leasesOverlap) note('leases overlap');
    for (const facet of allFacets) note(`${facets.has(facet) ? 'with' : 'without'} ${facet}`);
  } finally {
    base.loseReply(false);
    // No process of this run may write into the next one.
    for (const process of processes) process.kill();
    await clock.pass(0).catch(() => {});
  }
}

/** Ids and tokens are of chance, and things are often taken in their order: the same ones again, for the same run. */
function seedIds(random: () => number): void {
  crypto.randomBytes = ((size: number) => Buffer.from(Array.from({ length: size }, () => random() * 256))) as never;
  crypto.randomInt = ((count: number) => Math.floor(random() * count)) as never;
  syncBuiltinESMExports();
}

function describeCall({ deploymentId = '', operation }: Call): string {
  if (!operation) return deploymentId;
  const { kind: _, because, ...rest } = operation;
  const subject = 'workload' in rest ? rest.workload.name : 'name' in rest ? rest.name : '';
  return `${subject || deploymentId} ${because}`;
}
