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
} from './words.ts';

test('who can have no snapshot is told the obstacle that has to go first', () => {
  const all = { isOffered: true, isKept: true, hasVolumes: true };
  assert.equal(obstacleOf(all), undefined);
  assert.match(obstacleOf({ ...all, isKept: false })!, /claim this one first/);
  assert.match(obstacleOf({ ...all, isKept: false, isOffered: false })!, /own means/, 'claiming it would not help');
  assert.match(obstacleOf({ isOffered: false, isKept: false, hasVolumes: false })!, /no volumes/);
});

test('a snapshot says what it was taken for, of which revision it is, and how large once that is known', () => {
  assert.equal(storyOf({ reason: 'asked', revision: 1 }), 'Asked for · revision 1');
  const taken = { reason: 'before-restore', revision: 3, totalBytes: 3 * 2 ** 20 } as const;
  assert.equal(storyOf(taken), 'Before a restore · revision 3 · 3 MiB');
});

test('a try that has failed is told, and whether another follows', () => {
  assert.equal(problemOf({ state: 'asked', problem: 'No room.' }), 'No room. It will be tried again.');
  assert.equal(problemOf({ state: 'failed', problem: 'No room.' }), 'No room.');
  assert.equal(problemOf({ state: 'taken' }), undefined);
});

test('a restore says whether the application runs meanwhile', () => {
  const volumes = ['db-data', 'web-files'];
  const [inPlace, beside] = [false, true].map((isBeside) => ({ isBeside, volumes }));
  assert.match(stageOf({ ...inPlace!, state: 'asked' }, ''), /^Restoring db-data, web-files: .*keeps running/);
  assert.match(stageOf({ ...inPlace!, state: 'asked', progress: 40 }, ''), /fetched, 40 %\./);
  assert.match(stageOf({ ...inPlace!, state: 'filled' }, ''), /are stopped for this/);
  assert.match(stageOf({ ...beside!, state: 'asked' }, ''), /starts when the data has arrived/);
  assert.doesNotMatch(stageOf({ ...beside!, state: 'filled' }, ''), /stop/);
  assert.equal(stageOf({ ...inPlace!, state: 'done' }, 'just now'), 'Restored db-data, web-files, just now.');
});

test('a restore is told before by the volumes that go back, and by how far', () => {
  const snapshot = { takenAt: '2026-05-01T12:00:00Z' } as Parameters<typeof replacedBy>[0]['snapshot'];
  const told = replacedBy({ volumes: ['db-data', 'web-files'], snapshot }, Date.parse('2026-05-01T12:05:00Z'));
  assert.match(told, /^Replaced by what was there .*\(5 min ago\): db-data, web-files\.$/);
});

test('something is under way until every snapshot and every restore has ended', () => {
  const snapshot = (state: 'asked' | 'taken') => ({ state }) as Parameters<typeof isUnderWay>[0]['snapshots'][number];
  const restore = (state: 'filled' | 'failed') => ({ state }) as Parameters<typeof isUnderWay>[0]['restores'][number];
  assert.equal(isUnderWay({ snapshots: [snapshot('taken'), snapshot('asked')], restores: [] }), true);
  assert.equal(isUnderWay({ snapshots: [], restores: [restore('failed'), restore('filled')] }), true);
  assert.equal(isUnderWay({ snapshots: [snapshot('taken')], restores: [restore('failed')] }), false);
});

test('the terms of the plan are said in words', () => {
  const bytes = 10 * 2 ** 30;
  assert.match(termsOf({ count: 7, bytes, everyHours: 24 }), /newest 7 .*every 24 h; up to 10 GiB/);
  assert.ok(!termsOf({ count: 7, bytes }).includes('every'));
  assert.equal(termsOf({ count: 0, bytes }), 'The plan has no snapshots.');
});

test('what is in a snapshot as a dump of a database is told as one, and restored by the names of its volumes', () => {
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

test('the choice of dumps says when to make it, of the databases that are there alone', () => {
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
