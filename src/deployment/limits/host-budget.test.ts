import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pod, specOf } from '../../../test/support/deployments.ts';
import { budgetOf, type Capacity, type Disk, fits, growth } from './host-budget.ts';
import { type Amount, amountBy, amountOf, limitsOf, requestsOf, volumeCostBytes } from './pod-resources.ts';

const gibibyte = 2 ** 30;
const mebibyte = 2 ** 20;
const rules = { memory: { share: 0.8 }, cpuOvercommit: 8, diskFreeBytes: 5 * gibibyte, gpus: 0 };
/** The machine that this was written on. */
const machine: Capacity = {
  memoryBytes: 25_276_514_304,
  cpuMillis: 2_000,
  disk: { usedBytes: 24 * gibibyte, freeBytes: 79 * gibibyte },
};

test('a pod that says nothing gets 512 MiB and one processor, and a sixteenth of them is set aside', () => {
  const silent = { requests: {}, limits: {} };
  assert.deepEqual(limitsOf(silent), { cpuMillis: 1000, memoryBytes: 512 * mebibyte });
  assert.deepEqual(requestsOf(silent), { cpuMillis: 63, memoryBytes: 32 * mebibyte });
});

test('a request counts as it is, unless its limit is more than sixteen times as much', () => {
  const requested = (memoryBytes: number, limit?: number) =>
    requestsOf({ requests: { memoryBytes }, limits: limit === undefined ? {} : { memoryBytes: limit } }).memoryBytes;
  assert.equal(requested(100 * mebibyte), 100 * mebibyte);
  assert.equal(requested(gibibyte), gibibyte);
  assert.equal(requested(1, 16 * gibibyte), gibibyte);
});

test('where volumes are on a disk of their own, the fuller one decides', () => {
  const free = (disk: Disk) => budgetOf({ memoryBytes: 1, cpuMillis: 1, disk }, rules).diskBytes / gibibyte;
  assert.equal(free({ usedBytes: 0, freeBytes: 20 * gibibyte }), 15);
  assert.equal(free({ usedBytes: 0, freeBytes: 20 * gibibyte, volumesFreeBytes: 12 * gibibyte }), 7);
  assert.equal(free({ usedBytes: 0, freeBytes: 20 * gibibyte, volumesFreeBytes: 90 * gibibyte }), 15);
});

test('of an empty disk all but what stays free could be had, and of two disks the smaller one says how much', () => {
  const empty = (disk: Disk) => budgetOf({ memoryBytes: 1, cpuMillis: 1, disk }, rules).emptyDiskBytes! / gibibyte;
  assert.equal(empty({ usedBytes: 30 * gibibyte, freeBytes: 20 * gibibyte }), 45);
  const volumes = { volumesUsedBytes: gibibyte, volumesFreeBytes: 11 * gibibyte };
  assert.equal(empty({ usedBytes: 30 * gibibyte, freeBytes: 20 * gibibyte, ...volumes }), 7);
});

test('every replica counts, with volumes of its own in a statefulset only; of a job there is one', () => {
  const volumes = [{ name: 'data', sizeBytes: gibibyte, mountPath: '/data' }];
  const memory = (...fields: Parameters<typeof pod>[1][]) =>
    amountOf(specOf(...fields.map((each, index) => pod(`p${index}`, each)))).memoryBytes / mebibyte;
  assert.equal(memory({ replicas: 3 }, { resourceType: 'job', replicas: 3 }), 4 * 32);
  const disk = (fields: Parameters<typeof pod>[1]) => amountOf(specOf(pod('p', { volumes, ...fields }))).diskBytes;
  const one = gibibyte + volumeCostBytes;
  assert.equal(disk({ replicas: 2 }), one + 60_000_000);
  assert.equal(disk({ replicas: 2, resourceType: 'statefulset' }), 2 * one + 60_000_000);
});

test('200 deployments of one small container fit on two processors and 24 GB', () => {
  const one = amountOf(specOf(pod('web')));
  const budget = budgetOf(machine, rules);
  const all = amountBy((key) => 199 * one[key]);
  assert.deepEqual(fits(budget, all, one), { kind: 'fits' });
});

const none = amountBy(() => 0);
const asking = (fields: Partial<Amount>): Amount => ({ ...none, ...fields });

test('a refusal names the first resource that is short', () => {
  const budget = { memoryBytes: 100, cpuMillis: 100, diskBytes: 100 };
  const full = asking({ memoryBytes: 90 });
  assert.deepEqual(fits(budget, full, asking({ memoryBytes: 10 })), { kind: 'fits' });
  const short = { kind: 'short', resource: 'memoryBytes', requested: 11 };
  assert.deepEqual(fits(budget, full, asking({ memoryBytes: 11, cpuMillis: 200 })), short);
  assert.deepEqual(fits(budget, none, asking({ cpuMillis: 101 })), {
    kind: 'short',
    resource: 'cpuMillis',
    requested: 101,
  });
});

test('on a full disk nothing starts, and an update that requests no more continues', () => {
  const budget = budgetOf({ ...machine, disk: { usedBytes: 1, freeBytes: 4 * gibibyte } }, rules);
  const web = amountOf(specOf(pod('web')));
  assert.deepEqual(fits(budget, none, web), {
    kind: 'short',
    resource: 'diskBytes',
    requested: 30_000_000,
  });
  assert.deepEqual(fits(budget, asking({ memoryBytes: 1e15, cpuMillis: 1e9 }), growth(web, web)), { kind: 'fits' });
});

test('a disk that cannot be seen decides nothing, and a budget in bytes is taken as it is', () => {
  const { disk: _, ...unseen } = machine;
  const budget = budgetOf(unseen, { ...rules, memory: { bytes: gibibyte } });
  assert.deepEqual(budget, {
    memoryBytes: gibibyte,
    cpuMillis: 16_000,
    diskBytes: Number.POSITIVE_INFINITY,
    gpus: 0,
    machineMemoryBytes: machine.memoryBytes,
  });
});

test('a volume counts as a file system, however small; one that pods share counts once, as large as the largest', () => {
  const volume = (name: string, sizeBytes: number, isShared = false) => ({
    name,
    sizeBytes,
    mountPath: `/${name}`,
    ...(isShared && { isShared }),
  });
  const counted = (...pods: Parameters<typeof specOf>) => {
    const { volumes, containers, gpus, diskBytes } = amountOf(specOf(...pods));
    return { volumes, containers, gpus, mebibytes: (diskBytes - containers * 30_000_000) / mebibyte };
  };
  const tiny = Array.from({ length: 50 }, (_, index) => volume(`v${index}`, 1));
  assert.deepEqual(counted(pod('p', { volumes: tiny, replicas: 20, resourceType: 'statefulset', useGPU: true })), {
    volumes: 1000,
    containers: 20,
    gpus: 20,
    mebibytes: 1000 * 16,
  });
  const [small, large] = [volume('media', 1, true), volume('media', 100 * mebibyte, true)];
  assert.deepEqual(counted(pod('a', { volumes: [small] }), pod('b', { volumes: [large], replicas: 3 })), {
    volumes: 1,
    containers: 4,
    gpus: 0,
    mebibytes: 108,
  });
});

test('GPUs are a budget like memory, and none are given without one', () => {
  const budget = { memoryBytes: 1, cpuMillis: 1, diskBytes: 1 };
  const short = { kind: 'short', resource: 'gpus', requested: 1 };
  assert.deepEqual(fits(budget, none, asking({ gpus: 1 })), short);
  assert.deepEqual(fits({ ...budget, gpus: 2 }, asking({ gpus: 1 }), asking({ gpus: 1 })), { kind: 'fits' });
  assert.deepEqual(fits({ ...budget, gpus: 2 }, asking({ gpus: 2 }), asking({ gpus: 1 })), short);
});
