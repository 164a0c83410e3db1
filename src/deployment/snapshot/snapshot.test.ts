import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bytesOf,
  bytesOfAll,
  isSnapshotDue,
  retryAt,
  type Snapshot,
  snapshotsToEvict,
  snapshotTermsOf,
  surplusSnapshots,
} from './snapshot.ts';

const hour = 3_600_000;

function snapshot(id: string, hours: number, fields: Partial<Snapshot> = {}): Snapshot {
  return {
    id,
    deploymentId: 'shop',
    revision: 1,
    reason: 'asked',
    state: 'taken',
    createdAt: hours * hour,
    takenAt: hours * hour,
    placeId: id,
    volumes: [],
    dumps: [],
    totalBytes: 100,
    addedBytes: 10,
    pausedMs: 1,
    tries: 0,
    nextTryAt: 0,
    problem: null,
    toldAt: null,
    begunAt: null,
    ...fields,
  };
}

const idsOf = (some: readonly Snapshot[]) => some.map(({ id }) => id).sort();

test('the newest are kept: a number of manual ones, and a number of scheduled ones', () => {
  const requested = [1, 2, 3].map((hours) => snapshot(`a${hours}`, hours));
  const scheduled = [4, 5, 6].map((hours) => snapshot(`s${hours}`, hours, { reason: 'schedule' }));
  const all = [...requested, ...scheduled];
  assert.deepEqual(idsOf(surplusSnapshots(all, { count: 2 })), ['a1', 's4']);
  assert.deepEqual(idsOf(surplusSnapshots(all, { count: 0 })), ['a1', 'a2', 'a3', 's4', 's5', 's6']);
  assert.deepEqual(idsOf(surplusSnapshots(all, { count: 2 }, new Set(['a1']))), ['s4']);
});

test('one from before a restore counts as manual; one in progress is never surplus, and of failures the last is kept', () => {
  const all = [
    snapshot('before', 1, { reason: 'before-restore' }),
    snapshot('second', 2),
    snapshot('waits', 3, { state: 'asked' }),
    snapshot('failed once', 4, { state: 'failed' }),
    snapshot('failed twice', 5, { state: 'failed' }),
  ];
  assert.deepEqual(idsOf(surplusSnapshots(all, { count: 1 })), ['before', 'failed once']);
});

test('the oldest counts whole, each later one what was new in it, each deployment by itself', () => {
  const all = [snapshot('second', 2), snapshot('first', 1), snapshot('third', 3, { state: 'failed' })];
  assert.equal(bytesOf(all), 110);
  assert.equal(bytesOfAll([...all, snapshot('other', 9, { deploymentId: 'blog' })]), 210);
});

test('the schedule requires a snapshot if none exists or the newest is old enough, even a manual one', () => {
  const daily = { everyMs: 24 * hour, count: 7 };
  assert.ok(isSnapshotDue([], daily, 0));
  assert.ok(!isSnapshotDue([snapshot('newest', 10), snapshot('old', 0)], daily, 30 * hour));
  assert.ok(isSnapshotDue([snapshot('newest', 10), snapshot('old', 0)], daily, 34 * hour));
  assert.ok(!isSnapshotDue([snapshot('waits', 0, { state: 'asked' })], daily, 99 * hour));
  assert.ok(!isSnapshotDue([snapshot('failed', 98, { state: 'failed' })], daily, 99 * hour));
  assert.ok(!isSnapshotDue([], { ...daily, everyMs: null }, 99 * hour));
});

test('a plan without snapshots has none of the schedule, and to delete the newest makes none due', () => {
  assert.ok(!isSnapshotDue([], { everyMs: 24 * hour, count: 0 }, 99 * hour));
  for (const state of ['leaving', 'left'] as const)
    assert.ok(!isSnapshotDue([snapshot('deleted', 10, { state })], { everyMs: 24 * hour, count: 7 }, 30 * hour));
});

test('for space the oldest scheduled ones are removed, never manual ones or the newest of a deployment', () => {
  const scheduled = (id: string, hours: number, fields: Partial<Snapshot> = {}) =>
    snapshot(id, hours, { reason: 'schedule', totalBytes: 100, addedBytes: 50, ...fields });
  const all = [snapshot('asked', 3), scheduled('second', 2), scheduled('first', 1), scheduled('newest', 4)];
  const leaving = (bytes: number, spared?: Set<string>) =>
    snapshotsToEvict(all, { bytes }, spared)?.map(({ id }) => id);
  assert.deepEqual(leaving(211), []);
  assert.deepEqual(leaving(210), ['first']);
  assert.deepEqual(leaving(160), ['first', 'second']);
  assert.deepEqual(leaving(150), undefined);
  assert.deepEqual(leaving(210, new Set(['first'])), ['second']);
  const alone = [scheduled('shop', 1), scheduled('blog', 2, { deploymentId: 'blog' })];
  assert.equal(snapshotsToEvict(alone, { bytes: 100 }), undefined);
});

test('a plan says some of the terms, and the rest is usual; tries come later each time', () => {
  assert.deepEqual(snapshotTermsOf({}, true), { count: 7, bytes: 10 * 2 ** 30, everyMs: 24 * hour });
  assert.deepEqual(snapshotTermsOf({ snapshots: { everyMs: null } }, true).everyMs, null);
  assert.equal(
    snapshotTermsOf({}, false).everyMs,
    null,
    'nothing is scheduled to a place that the operator has not chosen',
  );
  assert.equal(snapshotTermsOf({ snapshots: { everyMs: hour } }, false).everyMs, hour);
  assert.deepEqual([retryAt(1, 0), retryAt(2, 0)], [120_000, 240_000]);
});
