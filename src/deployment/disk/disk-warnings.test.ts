import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventOf } from '../event/event.ts';
import { diskWarnings } from './disk-warnings.ts';

type Level = Extract<EventOf<'disk'>, { disk: 'level' }>['level'];
const minute = 60_000;
const level = (at: number, level: Level, percent: number, volume = 'db-data') => ({
  kind: 'disk' as const,
  disk: 'level' as const,
  at,
  level,
  percent,
  volume,
  title: `volume ${volume}`,
  sizeBytes: 2 ** 30,
});
const stopped = (at: number, pod: string) => ({
  kind: 'disk' as const,
  disk: 'stopped' as const,
  at,
  pod,
  because: 'it holds 3 GB',
});

test('a volume is warned of by its last level, until it has room again', () => {
  const reported = [level(3, 'full', 100), level(2, 'nearly full', 93), level(1, 'roomy', 5, 'other')];
  const [warning, ...others] = diskWarnings(reported, 4);
  assert.deepEqual(others, []);
  assert.deepEqual([warning?.level, warning?.percent, warning?.volume, warning?.at], ['full', 100, 'db-data', 3]);
  assert.match(warning!.message, /^volume db-data is full \(1 ?Gi\w*\)/);
  assert.deepEqual(diskWarnings([level(4, 'roomy', 40), ...reported], 5), []);
});

test('a pod that was stopped for what it wrote is warned of for an hour, once', () => {
  const reported = [stopped(10, 'web'), stopped(5, 'web')];
  assert.deepEqual(
    diskWarnings(reported, 10).map(({ pod, at }) => [pod, at]),
    [['web', 10]],
  );
  assert.deepEqual(diskWarnings(reported, 10 + 60 * minute), []);
});
