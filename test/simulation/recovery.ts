/** Invariants after the last fault: the work ends, states are valid, and no work is done twice. */
import assert from 'node:assert/strict';
import { type Kysely, sql } from 'kysely';
import type { DeploymentState } from '../../src/deployment/deployment.ts';
import { nextState, type Trigger } from '../../src/deployment/status/lifecycle.ts';
import type { MemoryWorld } from '../../src/engine/memory/world.ts';
import { makeDue } from '../../src/store/leases.ts';
import type { Tables } from '../../src/store/rows.ts';
import type { Clock } from './clock.ts';
import { settings } from './settings.ts';
import type { Scene } from './witness.ts';

const minute = 60_000;
/** How long everything may take to be well again when nothing goes wrong any more. */
const recoveryMs = 12 * minute;

/**
 * Waits until each deployment has been visited since the last fault, no process works, and all are well; fails
 * otherwise.
 */
export async function converge(
  { db, now }: Scene,
  clock: Clock,
  pass: (ms: number) => Promise<void>,
  check: () => Promise<void>,
) {
  const begunAt = clock.elapsed();
  for (;;) {
    // The sweep and a whole round of visits, at least.
    await pass(settings.resyncMs * 1.25);
    const isLate = clock.elapsed() - begunAt >= recoveryMs;
    const busy = await db
      .selectFrom('deployments')
      .innerJoin('leases', 'leases.deploymentId', 'deployments.id')
      .select(['deployments.id', 'state', 'token', 'dueAt'])
      .where('goneAt', 'is', null)
      .where((eb) =>
        eb.or([
          // A pod that never gets ready is waited for half of the time, in visits that have no end.
          eb.and([eb('token', 'is not', null), eb('state', '!=', 'failed')]),
          eb('dueAt', '<=', now()),
          eb('state', '=', 'deploying'),
          eb.and([eb('state', '=', 'expired'), eb('keptAt', 'is', null)]),
        ]),
      )
      .execute();
    assert.ok(busy.length === 0 || !isLate, `still busy: ${JSON.stringify(busy)}`);
    if (busy.length > 0) continue;
    try {
      return await check();
    } catch (error) {
      if (isLate) throw error;
    }
  }
}

const triggers: Trigger[] = ['updated', 'ready', 'given-up', 'ended', 'restored'];

export async function checkTransitions(db: Kysely<Tables>): Promise<void> {
  type Transition = { before: DeploymentState; after: DeploymentState; revision: number; serving: number | null };
  const { rows } = await sql<Transition>`select * from transitions`.execute(db);
  for (const { before, after, revision, serving } of rows) {
    const isAllowed = triggers.some((trigger) => nextState(before, trigger) === after);
    assert.ok(isAllowed, `${before} became ${after}`);
    if (after === 'running') assert.equal(serving, revision, 'it became running without serving');
  }
}

/** Visits all deployments once more. Only those whose time has come in between may change. */
export async function checkSecondPass(
  db: Kysely<Tables>,
  clock: Clock,
  pass: (ms: number) => Promise<void>,
  world: MemoryWorld,
): Promise<void> {
  const before = new Map(world.versions);
  const passMs = settings.pollMs + 10_000;
  const running = await db
    .selectFrom('deployments')
    .select('id')
    .where('goneAt', 'is', null)
    .where('state', '=', 'running')
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', clock.now() + passMs)]))
    .execute();
  for (const { id } of running) await makeDue(db, id, clock.now());
  await pass(passMs);
  for (const { id } of running) assert.equal(world.versions.get(id), before.get(id), 'a second pass does something');
}
