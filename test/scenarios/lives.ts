/**
 * Lives of an application (started, updated, removed) in which the service is killed right after one of its operations
 * and started again. Which operations there are is found out by a first life that nobody disturbs.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertGone, assertWhole, type Whole } from './aftermath.ts';
import type { Berth, Started } from './berth.ts';

export type Life = {
  berth: () => Berth;
  yaml: (name: string, says: string) => string;
  /** What is there while it runs. */
  whole: Omit<Whole, 'says'>;
  /** Before the start of each life. */
  prepare?: () => Promise<void>;
  /** What must not change in a life once it is there, e.g. the data of a volume. */
  keeps?: (started: Started) => Promise<string>;
};

/** A change that is asked for, and what is so when it is done. */
type Change = {
  name: 'start' | 'update' | 'removal';
  ask: () => Promise<void>;
  done: () => Promise<void>;
};

/** Titles name `what` is started, updated and removed. */
export function testLives(what: string, { berth, yaml, whole, prepare, keeps }: Life): void {
  const title = `the service killed after each operation of a start, an update and a removal of ${what} converges`;
  // What may hang is each life, which has its own limit; all of them together take minutes, on a busy machine many.
  test(title, { timeout: Number.POSITIVE_INFINITY }, async (t) => {
    const counts = new Map<Change['name'], number>();
    await live('whole', async ({ name, ask, done }) => {
      berth().takeOperations();
      await ask();
      await done();
      const operations = berth().takeOperations();
      counts.set(name, operations.length);
      t.diagnostic(`${name}: ${operations.length} operations\n${operations.join('\n')}`);
    });
    assert.deepEqual([...counts.keys()], ['start', 'update', 'removal']);
    const most = Math.max(...counts.values());
    assert.ok(most >= 4);

    for (let number = 1; number <= most; number++) {
      await live(`life-${number}`, async ({ name, ask, done }) => {
        if (number > counts.get(name)!) {
          await ask();
          await done();
          return;
        }
        await t.test(`killed after operation ${number} of the ${name}`, async () => {
          await berth().order({ kind: 'die', afterOperations: number });
          await ask();
          await berth().died();
          await berth().serve();
          await done();
        });
      });
    }
  });

  async function live(name: string, pass: (change: Change) => Promise<void>): Promise<void> {
    await prepare?.();
    let started: Started;
    let kept: string | undefined;
    const isRunning = async (says: string) => {
      await assertWhole(berth(), started, { ...whole, says: new RegExp(says) });
      kept ??= await keeps?.(started);
      assert.equal(await keeps?.(started), kept);
    };
    await pass({
      name: 'start',
      ask: async () => {
        started = await berth().start(yaml(name, 'first'));
      },
      done: () => isRunning('first'),
    });
    await pass({
      name: 'update',
      ask: () => berth().update(started, yaml(name, 'second')),
      done: () => isRunning('second'),
    });
    await pass({ name: 'removal', ask: () => berth().remove(started), done: () => assertGone(berth(), started) });
  }
}
