/** The store's data about the quarantine and the epoch. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  acceptSweep,
  decideQuarantined,
  holdSweep,
  nextEpoch,
  quarantined,
  readSweepState,
  recordQuarantined,
  releaseFromQuarantine,
} from '../../../src/store/quarantine.ts';
import type { OpenStore } from './store.ts';

const things = [{ kind: 'volume', name: 'berth-a-data' }] as const;

export function quarantineContract(open: OpenStore): void {
  test('an entry keeps the time when it was first seen, and is changed by what is listed and decided later', async () => {
    await using db = await open();
    await recordQuarantined(db, { deploymentId: 'a', things: [], now: 1 });
    await recordQuarantined(db, { deploymentId: 'a', things, now: 2 });
    await recordQuarantined(db, { deploymentId: 'b', things, now: 3 });
    assert.ok(await decideQuarantined(db, { deploymentId: 'b', decision: 'adopt', actor: 'me', now: 4 }));
    const common = { acceptedAt: null, things: [...things] };
    assert.deepEqual(await quarantined(db), [
      { deploymentId: 'a', firstSeenAt: 1, decision: null, ...common },
      { deploymentId: 'b', firstSeenAt: 3, decision: 'adopt', ...common },
    ]);
    await releaseFromQuarantine(db, ['a', 'b', 'c']);
    assert.deepEqual(await quarantined(db), []);
  });

  test('the epoch grows, does not grow during a hold, and is later than everything once the hold is accepted', async () => {
    await using db = await open();
    assert.deepEqual(await readSweepState(db), { epoch: 0, acceptedEpoch: 0, hold: null });
    assert.deepEqual([await nextEpoch(db), await nextEpoch(db)], [1, 2]);
    const hold = { reasons: [{ kind: 'later-epoch', epoch: 2, seen: 9 } as const] };
    await holdSweep(db, hold);
    assert.equal(await nextEpoch(db), 2);
    assert.deepEqual(await readSweepState(db), { epoch: 2, acceptedEpoch: 0, hold });
    await recordQuarantined(db, { deploymentId: 'a', things, now: 1 });
    assert.ok(await acceptSweep(db, { actor: 'me', now: 5 }));
    assert.deepEqual(await readSweepState(db), { epoch: 10, acceptedEpoch: 10, hold: null });
    assert.equal((await quarantined(db))[0]?.acceptedAt, 5);
    assert.equal(await nextEpoch(db), 11);
  });
}
