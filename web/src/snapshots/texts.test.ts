import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  contentsOf,
  dumpChoiceOf,
  isUnderWay,
  obstacleOf,
  problemOf,
  replacedBy,
  stageOf,
  storyOf,
  termsOf,
  volumesIn,
} from './texts.ts';

test('if snapshots are unavailable, the first obstacle is shown', () => {
  const all = { isOffered: true, isKept: true, hasVolumes: true };
  assert.equal(obstacleOf(all), undefined);
  assert.match(obstacleOf({ ...all, isKept: false })!, /claim this one first/);
  assert.match(obstacleOf({ ...all, isKept: false, isOffered: false })!, /own means/, 'claiming it would not help');
  assert.match(obstacleOf({ isOffered: false, isKept: false, hasVolumes: false })!, /no volumes/);
});

test('a snapshot shows its reason, its revision, and its size once known', () => {
  assert.equal(storyOf({ reason: 'asked', revision: 1 }), 'Requested · revision 1');
  const taken = { reason: 'before-restore', revision: 3, totalBytes: 3 * 2 ** 20 } as const;
  assert.equal(storyOf(taken), 'Before a restore · revision 3 · 3 MiB');
});

test('a failed attempt is shown, and whether another one follows', () => {
  assert.equal(problemOf({ state: 'asked', problem: 'No room.' }), 'No room. It will be tried again.');
  assert.equal(problemOf({ state: 'failed', problem: 'No room.' }), 'No room.');
  assert.equal(problemOf({ state: 'taken' }), undefined);
});

test('a restore says whether the application keeps running', () => {
  const volumes = ['db-data', 'web-files'];
  const [inPlace, beside] = [false, true].map((isBeside) => ({ isBeside, volumes }));
  assert.match(stageOf({ ...inPlace!, state: 'asked' }, ''), /^Restoring db-data, web-files: .*keeps running/);
  assert.match(stageOf({ ...inPlace!, state: 'asked', progress: 40 }, ''), /fetched, 40 %\./);
  assert.match(stageOf({ ...inPlace!, state: 'filled' }, ''), /are stopped for this/);
  assert.match(stageOf({ ...beside!, state: 'asked' }, ''), /starts when the data has arrived/);
  assert.doesNotMatch(stageOf({ ...beside!, state: 'filled' }, ''), /stop/);
  assert.equal(stageOf({ ...inPlace!, state: 'done' }, 'just now'), 'Restored db-data, web-files, just now.');
});

test('the preview of a restore lists the volumes and how far they go back', () => {
  const snapshot = { takenAt: '2026-05-01T12:00:00Z' } as Parameters<typeof replacedBy>[0]['snapshot'];
  const reported = replacedBy({ volumes: ['db-data', 'web-files'], snapshot }, Date.parse('2026-05-01T12:05:00Z'));
  assert.match(reported, /^Replaced by the previous data .*\(5 min ago\): db-data, web-files\.$/);
});

test('work is pending until every snapshot and every restore has ended', () => {
  const snapshot = (state: 'asked' | 'taken') => ({ state }) as Parameters<typeof isUnderWay>[0]['snapshots'][number];
  const restore = (state: 'filled' | 'failed') => ({ state }) as Parameters<typeof isUnderWay>[0]['restores'][number];
  assert.equal(isUnderWay({ snapshots: [snapshot('taken'), snapshot('asked')], restores: [] }), true);
  assert.equal(isUnderWay({ snapshots: [], restores: [restore('failed'), restore('filled')] }), true);
  assert.equal(isUnderWay({ snapshots: [snapshot('taken')], restores: [restore('failed')] }), false);
});

test('the terms of the plan are shown in words', () => {
  const bytes = 10 * 2 ** 30;
  assert.match(termsOf({ count: 7, bytes, everyHours: 24 }), /newest 7 .*every 24 h; up to 10 GiB/);
  assert.ok(!termsOf({ count: 7, bytes }).includes('every'));
  assert.equal(termsOf({ count: 0, bytes }), 'The plan has no snapshots.');
});

test('a database dump in a snapshot is listed as a dump, and restored by the names of its volumes', () => {
  const dumps = [{ pod: 'db', kind: 'postgres' as const, volumes: ['db-data'] }];
  const snapshot = { volumes: [{ name: 'web-data', sizeBytes: 1 }], dumps };
  assert.equal(contentsOf(snapshot), 'web-data, db-data (dump)');
  assert.deepEqual(volumesIn(snapshot), ['web-data', 'db-data']);
  assert.equal(contentsOf({ volumes: [], dumps: [] }), '');
  const saved = { pod: 'cache', kind: 'redis' as const, volumes: [] };
  const files = { volumes: [{ name: 'cache-data', sizeBytes: 1 }], dumps: [saved] };
  assert.equal(contentsOf(files), 'cache-data, cache (saved first)');
  assert.deepEqual(volumesIn(files), ['cache-data']);
});

test('the hint of the dump choice matches the present databases', () => {
  const [db, cache] = [
    { pod: 'db', kind: 'mysql' as const },
    { pod: 'cache', kind: 'redis' as const },
  ];
  assert.equal(dumpChoiceOf([]), undefined);
  assert.equal(dumpChoiceOf([cache, db])!.label, 'With the database’s own tool: db and cache');
  assert.match(dumpChoiceOf([db])!.hint, /^Choose it to load db into a later release[^.]*\.$/);
  assert.match(dumpChoiceOf([cache])!.hint, /^Choose it so that cache saves everything first[^.]*\.$/);
  assert.match(dumpChoiceOf([cache, db])!.hint, /later release.*saves everything/);
});
