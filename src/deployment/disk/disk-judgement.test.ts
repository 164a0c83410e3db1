import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type DiskUse,
  type Eviction,
  fastestGrowth,
  heldBecause,
  heldBytes,
  type Level,
  levelOf,
  type Overuse,
  overuses,
  type WantedOfDisk,
} from './disk-levels.ts';

const mebibyte = 2 ** 20;
const minute = 60_000;

const shop: WantedOfDisk = {
  revision: 1,
  volumes: [{ volume: 'db-data', sizeBytes: 100 * mebibyte, title: 'volume data of pod db' }],
  users: new Map([['db-data', [{ pod: 'db', replica: 0 }]]]),
};
const wantedBy = (id: string) => (id === 'shop' ? shop : undefined);
const workload = (pod: string, mebibytes: number, deploymentId = 'shop'): DiskUse => ({
  kind: 'workload',
  deploymentId,
  name: `berth-${deploymentId}-${pod}-1-0`,
  pod,
  replica: 0,
  usedBytes: mebibytes * mebibyte,
});
const volume = (mebibytes: number, fullShare?: number): DiskUse => ({
  kind: 'volume',
  deploymentId: 'shop',
  volume: 'db-data',
  usedBytes: mebibytes * mebibyte,
  ...(fullShare !== undefined && { fullShare }),
});
const print = (found: Overuse[]) => found.map(({ workload, because }) => `${workload.pod}: ${because}`).join('\n');
const judged = (...uses: DiskUse[]) => print(overuses(uses, wantedBy, { containerBytes: 50 * mebibyte }));

test('a workload may write as much as the limit, and not more', () => {
  assert.equal(judged(workload('web', 50)), '');
  assert.equal(judged(workload('web', 51)), 'web: it had written 51 MiB outside its volumes; the limit is 50 MiB');
});

test('a volume without a limit of its own that holds more than its size stops the pods that have it, and no others', () => {
  const uses = [workload('db', 1), workload('web', 1), workload('db', 1, 'neighbour')];
  assert.equal(judged(volume(100), ...uses), '');
  assert.equal(judged(volume(120), ...uses), 'db: volume data of pod db holds 120 MiB, and its size is 100 MiB');
  assert.equal(judged(volume(120, 1), ...uses), '', 'one with a limit keeps itself');
});

test('of those that grow, only the one that grows most is stopped, when it grows by much', () => {
  const before = heldBytes([volume(10), workload('db', 1), workload('web', 5)]);
  const fastest = (...uses: DiskUse[]) => print(fastestGrowth(uses, before, wantedBy));
  const words = (grown: number) => `the disk of the host was nearly full, and it had written the most (${grown} MiB)`;
  assert.equal(fastest(volume(40), workload('db', 1), workload('web', 36)), '');
  assert.equal(fastest(volume(50), workload('db', 1), workload('web', 45)), `db: ${words(40)}`);
  assert.equal(fastest(volume(40), workload('db', 1), workload('web', 45)), `web: ${words(40)}`);
  assert.equal(fastest(workload('new', 500)), '', 'who was not there before has not grown');
});

test('a workload stays stopped after the third time within an hour, and for good', () => {
  const at = (...minutes: number[]): Eviction[] =>
    minutes.map((count) => ({ pod: 'web', replica: 0, at: count * minute, because: 'it wrote' }));
  assert.equal(heldBecause(at(0, 1), 'web', 0), undefined);
  assert.equal(heldBecause(at(30, 0, 60), 'web', 0), 'was stopped 3 times within an hour: it wrote');
  assert.equal(heldBecause(at(0, 30, 61), 'web', 0), undefined);
  assert.equal(heldBecause(at(0, 1, 2), 'db', 0), undefined);
  assert.equal(heldBecause(at(0, 1, 2), 'web', 1), undefined);
});

test('a volume that wavers around nine tenths is reported once', () => {
  const levels: Level[] = [];
  for (const share of [0.89, 0.9, 0.89, 0.86, 0.91, 0.996, 0.99, 0.84, 0.89])
    levels.push(levelOf(share, levels.at(-1) ?? 'roomy'));
  assert.equal(
    levels.join(', '),
    'roomy, nearly full, nearly full, nearly full, nearly full, full, nearly full, roomy, roomy',
  );
});
