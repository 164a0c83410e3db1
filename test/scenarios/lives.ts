/**
 * Lives of an application (started, updated, removed) in which the service is killed right after one of its operations
 * and restarted. A first, undisturbed life shows which operations there are.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertGone, assertWhole, type Whole } from './aftermath.ts';
import type { Berth, Started } from './berth.ts';

export type Life = {
  berth: () => Berth;
  yaml: (name: string, says: string) => string;
  /** The objects that exist while it runs. */
  whole: Omit<Whole, 'says'>;
  /** Before the start of each life. */
  prepare?: () => Promise<void>;
  /** A value that must not change during a life, e.g. the data of a volume. */
  keeps?: (started: Started) => Promise<string>;
};

/** A requested change, and the resulting state. */
type Change = {
  name: 'start' | 'update' | 'removal';
  ask: () => Promise<void>;
  done: () => Promise<void>;
};

/** Titles name `what` is started, updated and removed. */
export function testLives(what: string, { berth, yaml, whole, prepare, keeps }: Life): void {
  const title = `the service killed after each operation of a start, an update and a removal of ${what} converges`;
  // Each life has its own time limit. All of them together take minutes, and longer on a busy machine.
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
