import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import type { Kysely } from 'kysely';
import type { DeploymentEvent } from '../../../src/deployment/event/event.ts';
import { addDeployment } from '../../../src/store/deployments.ts';
import {
  addEvents,
  diskEventsKept,
  eventsAfter,
  latestEvents,
  latestOfDisk,
  otherEventsKept,
} from '../../../src/store/events.ts';
import type { Tables } from '../../../src/store/rows.ts';
import { addSession } from '../../../src/store/sessions.ts';
import { anyEvent } from '../../support/any-event.ts';
import { deploymentOf } from '../../support/deployments.ts';
import type { OpenStore } from './store.ts';

export function eventsContract(open: OpenStore): void {
  let db: Kysely<Tables>;
  beforeEach(async () => {
    db = await open();
    await addSession(db, { id: 'session', token: 'token', createdAt: 0 });
    await addDeployment(db, deploymentOf({}));
  });
  afterEach(async () => await db.destroy());

  let at = 0;
  beforeEach(() => {
    at = 0;
  });

  /** One write for each call, a second apart. */
  async function record(...events: DeploymentEvent[]): Promise<void> {
    at += 1_000;
    await addEvents(
      db,
      'shop',
      events.map((event) => ({ at, event })),
    );
  }

  const web = (because?: string): DeploymentEvent => ({
    kind: 'pod',
    pod: 'web',
    state: because === undefined ? 'ready' : 'starting',
    ...(because !== undefined && { because }),
  });

  /** `<number>. <what> ×<count>, <first>–<last>`, in the order of the last occurrence. */
  async function reported(after = 0): Promise<string[]> {
    return (await eventsAfter(db, 'shop', after, 100)).map((event) => {
      const what = event.kind === 'pod' ? (event.because ?? event.state) : event.kind;
      return `${event.number}. ${what} ×${event.count}, ${event.firstAt / 1000}–${event.at / 1000}`;
    });
  }

  test('any event of the schema is read as it was written', async () => {
    await fc.assert(
      fc.asyncProperty(anyEvent, async (event) => {
        await addEvents(db, 'shop', [{ at: 7, event }]);
        const [last] = await latestEvents(db, 'shop', 1);
        const { number, sequence, count, firstAt, at, ...read } = last!;
        assert.deepEqual(read, event);
        assert.deepEqual([at, firstAt], [7, 7]);
      }),
    );
  });

  test('events are numbered from 1 in each deployment', async () => {
    await record(web('a'), web('b'));
    await record(web());
    assert.deepEqual(await reported(), ['1. a ×1, 1–1', '2. b ×1, 1–1', '3. ready ×1, 2–2']);
  });

  test('a repeated event is counted, even with others in between', async () => {
    for (let retry = 0; retry < 40; retry++) {
      await record(web('exited with code 1'));
      await record(web('does not listen on port 80'));
    }
    await record(web('a'), web('a'));
    assert.deepEqual(await reported(), [
      '1. exited with code 1 ×40, 1–79',
      '2. does not listen on port 80 ×40, 2–80',
      '81. a ×2, 81–81',
    ]);
  });

  test('a reader that resumes receives the new count, and only events that have happened again', async () => {
    await record(web('a'), web('b'));
    const [, last] = await eventsAfter(db, 'shop', 0, 100);
    await record(web('a'));
    assert.deepEqual(await reported(last!.sequence), ['1. a ×2, 1–2']);
    const [again] = await eventsAfter(db, 'shop', last!.sequence, 100);
    assert.deepEqual(await reported(again!.sequence), []);
  });

  test('after the next intent every event is new again', async () => {
    await record(web('a'));
    await record({ kind: 'intent', intent: 'update', revision: 2 }, web('a'));
    await record({ kind: 'intent', intent: 'extend' });
    await record({ kind: 'intent', intent: 'extend' });
    assert.deepEqual(await reported(), [
      ...['1. a ×1, 1–1', '2. intent ×1, 2–2', '3. a ×1, 2–2', '4. intent ×1, 3–3', '5. intent ×1, 4–4'],
    ]);
  });

  test('of what differs from one time to the next the last is kept', async () => {
    const failed = (line: string): DeploymentEvent => ({
      kind: 'state',
      state: 'failed',
      pods: ['web'],
      because: 'exited with code 1',
      lastLines: [line],
    });
    await record(failed('12:01 no database'));
    await record(failed('12:02 no database'));
    const [event] = await eventsAfter(db, 'shop', 0, 100);
    assert.deepEqual([event!.count, 'lastLines' in event! && event.lastLines], [2, ['12:02 no database']]);
  });

  const extend: DeploymentEvent = { kind: 'intent', intent: 'extend' };
  const mended: DeploymentEvent = { kind: 'disk', disk: 'mended', volume: 'db-data', title: 'volume data of pod db' };
  const tellMany = async (times: number, ...events: DeploymentEvent[]) => {
    for (let left = times; left > 0; left -= 50) await record(...Array(Math.min(left, 50)).fill(events).flat());
  };
  const all = async () => await eventsAfter(db, 'shop', 0, 10_000);

  test('of very many the oldest are forgotten, and one event in their place contains their number', async () => {
    await record(web('a'), web('a'));
    await tellMany(3_000, extend);
    const [first, ...others] = await all();
    const { number, sequence, ...forgotten } = first!;
    assert.deepEqual(forgotten, {
      kind: 'forgotten',
      events: 3_002 - others.length,
      count: 1,
      firstAt: 1_000,
      at: 1_000 * (2 + Math.floor((sequence - 3) / 50)),
    });
    assert.deepEqual([number, sequence], [others[0]!.number - 1, others[0]!.sequence - 1]);
    assert.ok(others.length >= otherEventsKept && others.length < otherEventsKept + 200, `${others.length} are kept`);
  });

  test('a reader that is up to date sees nothing of forgotten events, and others receive their summary', async () => {
    await tellMany(500, extend);
    const early = (await all()).at(-1)!;
    await tellMany(2_000, extend);
    const [forgotten] = await eventsAfter(db, 'shop', early.sequence, 1);
    assert.equal(forgotten!.kind, 'forgotten');
    const late = (await all()).at(-1)!;
    await tellMany(200, extend);
    assert.deepEqual(
      (await eventsAfter(db, 'shop', late.sequence, 10_000)).filter(({ kind }) => kind === 'forgotten'),
      [],
    );
  });

  test('disk events are kept after any number of others, and limited too', async () => {
    await record(mended);
    await tellMany(2_000, extend);
    assert.equal((await latestOfDisk(db, 'shop')).length, 1);
    await tellMany(500, extend, mended);
    const kept = await all();
    const ofDisk = kept.filter(({ kind }) => kind === 'disk').length;
    assert.ok(ofDisk >= diskEventsKept && ofDisk < diskEventsKept + 200, `${ofDisk} of the disk are kept`);
    const reported = kept.reduce((sum, event) => sum + (event.kind === 'forgotten' ? event.events : event.count), 0);
    assert.equal(reported, kept.at(-1)!.sequence);
  });

  test('any events are written or counted, in one order', async () => {
    const few = fc.constantFrom(web(), web('a'), web('b'), { kind: 'intent', intent: 'extend' } as DeploymentEvent);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(few, { minLength: 1, maxLength: 5 }), { maxLength: 8 }), async (writes) => {
        await db.deleteFrom('events').execute();
        for (const write of writes) await record(...write);
        const events = await eventsAfter(db, 'shop', 0, 1000);
        const total = writes.flat().length;
        assert.equal(
          events.reduce((sum, { count }) => sum + count, 0),
          total,
        );
        assert.equal(events.at(-1)?.sequence ?? 0, total);
        assert.equal(new Set(events.map(({ number }) => number)).size, events.length);
      }),
    );
  });
}
