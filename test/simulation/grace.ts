/** Grace in a story: what is removed, or past its limit, is restored or forgotten; and what has to hold of what is kept. */
import assert from 'node:assert/strict';
import type { Kysely } from 'kysely';
import type { Deployment } from '../../src/deployment/deployment.ts';
import { deploymentById } from '../../src/store/deployments.ts';
import type { Tables } from '../../src/store/rows.ts';
import { createTestEngine } from '../support/memory-engine.ts';
import type { Act, Story } from './story.ts';
import type { Scene } from './witness.ts';

const minute = 60_000;

/** A part of the stories has none, as before there was any: what ends is gone. */
export function graceOf({ seed }: Story): number {
  return seed % 3 === 1 ? 20 * minute : 0;
}

type Step = Story['acts'][number];

/** Adds the reactions of owners to ends. They are derived from the story, so that other seeds keep their meaning. */
export function withGrace(story: Story): Story {
  if (graceOf(story) === 0) return story;
  const acts = story.acts.flatMap((step, index) => [step, ...afterwards(step, story.seed + index)]);
  return { ...story, acts };
}

/** At once, while it goes, when it is kept, or too late. */
const pauses = [0, 20, 300, 10_000, 5 * minute, 25 * minute];

function afterwards({ act }: Step, number: number): Step[] {
  const afterMs = pauses[number % pauses.length]!;
  const isForgotten = number % 4 === 0;
  const answer = (which: number): Act => ({ kind: isForgotten ? 'forget' : 'restore', which });
  if (act.kind === 'remove') return [{ afterMs, act: answer(act.which) }];
  // Limits are an hour away.
  return act.kind === 'set-clock' && act.byMs > 30 * minute
    ? [0, 1, 2].map((which) => ({ afterMs, act: answer(which) }))
    : [];
}

/** The deployment cannot be restored. */
export async function checkForgotten(deploymentId: string, db: Kysely<Tables>): Promise<void> {
  const deployment = await deploymentById(db, deploymentId);
  assert.equal(deployment?.state, 'expired', 'its volume is removed although the deployment has not ended');
  assert.equal(deployment?.restorableUntil, null, 'its volume is removed although it can be restored');
}

/** In the end: its volumes, and nothing else, within its time. */
export async function checkKept(deployment: Deployment, { world, edges, now }: Scene): Promise<void> {
  const { id, label, restorableUntil, keptAt } = deployment;
  assert.ok(keptAt !== null, 'what has ended is not put away');
  assert.ok(restorableUntil !== null && restorableUntil > now(), 'it is kept beyond its time');
  const owned = (await createTestEngine({ world }).listOwned()).filter(({ deploymentId }) => deploymentId === id);
  assert.deepEqual(
    owned.filter(({ kind }) => kind !== 'volume'),
    [],
    'more than volumes is kept',
  );
  for (const { sites } of edges.answering()) assert.equal(sites.get(label), undefined, 'what is kept is served');
}
