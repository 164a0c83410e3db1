/** The acts of a story: intents through the API, and harm to the machine, the clock and the processes. */

import assert from 'node:assert/strict';
import type { Kysely } from 'kysely';
import { printSpec } from '../../src/config/spec/print-spec.ts';
import type { AppSpec } from '../../src/config/spec/spec.ts';
import type { MemoryContainer } from '../../src/engine/memory/world.ts';
import { deploymentByLabel } from '../../src/store/deployments.ts';
import { addEvents, eventsAfter, otherEventsKept } from '../../src/store/events.ts';
import type { Tables } from '../../src/store/rows.ts';
import { StoreFault } from '../../src/store/store-fault.ts';
import { write } from '../../src/store/transaction.ts';
import type { TestApi } from '../support/api.ts';
import type { TestEngine } from '../support/memory-engine.ts';
import type { TestWorld } from '../support/test-world.ts';
import type { Clock } from './clock.ts';
import type { Process } from './process.ts';
import { settings } from './settings.ts';
import type { Act, Story } from './story.ts';
import type { Subject, Witness } from './witness.ts';

const { leaseMs } = settings;
/** A lease is renewed three times in its span, so up to a third of it may have passed at any look. */
const renewMs = leaseMs / 3;

export type Stage = {
  story: Story;
  api: TestApi;
  witness: Witness;
  db: Kysely<Tables>;
  world: TestWorld;
  clock: Clock;
  processes: Process[];
  engine: TestEngine;
  random: () => number;
  /** How many there were. */
  intents: number;
  loseReply: (isLost: boolean) => void;
  note: (what: string) => void;
  report: (line: string) => void;
};

/** Does what the story says. */
export async function perform(act: Act, stage: Stage): Promise<void> {
  const { story, witness, clock, processes } = stage;
  switch (act.kind) {
    case 'start':
      return await begin(act.spec, stage);
    case 'update':
    case 'extend':
    case 'claim':
    case 'remove':
    case 'restore':
    case 'forget':
      return await intend(act, stage);
    case 'set-clock':
      clock.set(act.byMs);
      if (act.backAfterMs !== undefined) void clock.wait(act.backAfterMs).then(() => clock.set(-act.byMs));
      if (Math.abs(act.byMs) + Math.max(...story.skewsMs) + renewMs >= leaseMs) witness.leasesOverlap = true;
      return;
    case 'kill':
      processes[act.worker % story.workers]?.kill();
      return;
    case 'stop':
      void processes[act.worker % story.workers]?.stop();
      return;
    case 'freeze':
      processes[act.worker % story.workers]?.freeze(act.ms);
      if (act.ms >= leaseMs) witness.leasesOverlap = true;
      return;
    case 'registries':
      setRegistries(stage.world, act.areAway);
      witness.areRegistriesAway = act.areAway;
      for (const subject of witness.subjects) subject.isExcused = true;
      return;
    default:
      harm(act, stage);
  }
}

/** Adds more events to each deployment than are retained: as if years had passed. */
export async function fillEvents({ witness, db, clock, note }: Stage): Promise<void> {
  for (const subject of witness.subjects) {
    const { id } = subject;
    // Each has an id of its own, so none repeats another, and the witness counts no event of this kind.
    const taken = { kind: 'snapshot', snapshot: 'taken', reason: 'schedule', totalBytes: 0, pausedMs: 0 } as const;
    const events = Array.from({ length: otherEventsKept + 100 }, (_, index) => ({
      at: clock.now(),
      event: { ...taken, id: `${index}` },
    }));
    // Where the answer is lost they are written all the same.
    await write(db, { deploymentId: id }, (db) => addEvents(db, id, events)).catch((error: unknown) => {
      if (!(error instanceof StoreFault)) throw error;
    });
    subject.intents = await countIntents(db, id);
    note('events forgotten');
  }
}

async function begin(spec: AppSpec, stage: Stage): Promise<void> {
  const { witness } = stage;
  // A client without an answer repeats the request with the same key: it is the same deployment.
  const number = String(stage.intents + 1).padStart(12, '0');
  const headers = { 'idempotency-key': `9f86d081-884c-4d65-9a2f-${number}` };
  const start = () => post('/startUserDeployment', printSpec(spec), stage, headers);
  let answer = await start();
  while (answer.status === 503) answer = await start();
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const { sessionToken, url } = answer.body;
  const label = new URL(url).hostname.split('.')[0]!;
  const { id } = (await deploymentByLabel(stage.db, label))!;
  const fresh = { intents: 1, isHarmed: false, isExcused: arePullsInTrouble(witness) };
  witness.subjects.push({ id, label, sessionToken, specs: [spec], ...fresh });
}

async function intend(
  act: Extract<Act, { kind: 'update' | 'extend' | 'claim' | 'remove' | 'restore' | 'forget' }>,
  stage: Stage,
): Promise<void> {
  const { witness } = stage;
  const subject = pick(witness.subjects, act.which);
  if (!subject) return;
  const { status } = await ask(act, subject.sessionToken, stage);
  const isDone = status === 503 ? await wasDone(subject, stage) : status === 200;
  if (!isDone) return;
  subject.intents++;
  // An update replaces its workloads.
  if (act.kind === 'restore')
    Object.assign(subject, { isHarmed: true, isRestored: true, isExcused: arePullsInTrouble(witness) });
  if (act.kind !== 'update') return;
  subject.specs.push(act.spec);
  subject.isExcused = arePullsInTrouble(witness);
}

/** The client got no answer: it looks. */
async function wasDone({ id, intents }: Subject, { db }: Stage): Promise<boolean> {
  const found = await countIntents(db, id);
  assert.ok(found === intents || found === intents + 1, 'an intent was done twice, or lost');
  return found > intents;
}

/** Counts the intents among the retained events. */
async function countIntents(db: Kysely<Tables>, id: string): Promise<number> {
  return (await eventsAfter(db, id, 0, 10_000)).filter(({ kind }) => kind === 'intent').length;
}

async function ask(act: Parameters<typeof intend>[0], sessionToken: string, stage: Stage): Promise<Answer> {
  const named = { applicationName: 'shop', sessionToken };
  switch (act.kind) {
    case 'update':
      return await post(`/updateUserDeployment?sessionToken=${sessionToken}`, printSpec(act.spec), stage);
    case 'extend':
      return await post('/extendDeployment', named, stage);
    case 'remove':
      return await post('/removeDeploymentReservation', named, stage);
    case 'forget':
      return await post('/removeDeploymentReservation', { ...named, forget: true }, stage);
    case 'restore':
      return await post('/restoreDeployment', named, stage);
    case 'claim': {
      const { status, body } = await post('/claimDeployment', named, stage);
      return status === 200 ? await post(`/claim/${body.claimToken}`, {}, stage, signedIn) : { status, body };
    }
  }
}

type Answer = Pick<Awaited<ReturnType<TestApi['get']>>, 'status' | 'body'>;

const signedIn = { cookie: 'signed in', 'sec-fetch-site': 'same-origin' };

/** A document or an object; of those who are to be woken some are. */
async function post(
  path: string,
  body: string | object,
  stage: Stage,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { story, api, clock, processes, random, loseReply, note, report } = stage;
  api.clock.now = clock.now();
  const isLost = story.lostReplies.includes(++stage.intents);
  loseReply(isLost);
  const answer = await (typeof body === 'string'
    ? api.postYaml(path, body, headers)
    : api.postJson(path, body, headers));
  loseReply(false);
  if (answer.status === 503) {
    note('lost reply');
    report(`    no reply to ${path}`);
  }
  for (const deploymentId of api.woken.splice(0))
    for (const process of processes) if (random() < story.heardShare) process.wake(deploymentId);
  return answer;
}

function harm(act: Extract<Act, { which: number; kind: string }>, { world, engine, witness, clock }: Stage): void {
  const harmed = (id: string) => {
    const subject = witness.subjects.find((each) => each.id === id);
    if (subject) Object.assign(subject, { isHarmed: true, isExcused: true });
  };
  switch (act.kind) {
    case 'crash':
    case 'halt': {
      // A stopped job has failed, as far as the service can see, and is not run again.
      const isMeant = ({ phase, workload }: MemoryContainer) =>
        phase === 'running' && workload.readiness.kind !== 'exit';
      const container = pick([...world.containers.values()].filter(isMeant), act.which);
      if (!container) return;
      harmed(container.deploymentId);
      if (act.kind === 'crash') engine.crash(container.workload.name, 1);
      else engine.halt(container.workload.name);
      return;
    }
    case 'lose-workload': {
      const container = pick([...world.containers.values()], act.which);
      if (!container) return;
      harmed(container.deploymentId);
      engine.lose({ kind: 'workload', id: container.workload.name });
      return;
    }
    case 'lose-network': {
      const id = pick([...world.networks.keys()], act.which);
      if (id === undefined) return;
      harmed(id);
      engine.lose({ kind: 'network', id });
      return;
    }
    case 'lose-volume': {
      const [id, volume] = pick([...world.volumes], act.which) ?? [];
      if (id === undefined || !volume) return;
      const isUsed = world.containers
        .of(volume.deploymentId)
        .some(({ workload }) => workload.volumes.some((mount) => mount.volume === volume.volume));
      if (isUsed) return;
      harmed(volume.deploymentId);
      engine.lose({ kind: 'volume', id });
      witness.volumes.delete(id);
      return;
    }
    case 'stall': {
      const pulled = [...world.images.values()].filter(({ digest }) => digest !== undefined);
      witness.stalls++;
      pick(pulled, act.which)!.held = clock.wait(act.ms).then(() => void witness.stalls--);
      for (const subject of witness.subjects) subject.isExcused = true;
      return;
    }
    case 'lose-image':
    case 'move-tag': {
      const image = pick([...world.images.values()], act.which)!;
      if (act.kind === 'lose-image') image.isOnHost = false;
      else if (image.digest !== undefined) {
        if (image.isOnHost !== false) image.hostDigest ??= image.digest;
        image.formerDigests = [...(image.formerDigests ?? []), image.digest];
        image.digest = `${image.digest}1`;
      }
    }
  }
}

function arePullsInTrouble({ areRegistriesAway, stalls }: Witness): boolean {
  return areRegistriesAway || stalls > 0;
}

export function pick<T>(among: readonly T[], which: number): T | undefined {
  return among[which % Math.max(1, among.length)];
}

export function setRegistries(world: TestWorld, areAway: boolean): void {
  for (const image of world.images.values()) {
    if (image.digest === undefined) continue;
    if (areAway) image.pullFault = 'registry-unreachable';
    else delete image.pullFault;
  }
}
