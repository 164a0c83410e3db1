import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pod, specOf } from '../../../test/support/deployments.ts';
import { beyond, type Maximum, maximumOf } from './deployment-maximum.ts';
import type { Tier } from './plan-tier.ts';
import { amountOf } from './pod-resources.ts';

const gibibyte = 2 ** 30;
const max: Maximum = {
  memoryBytes: 8 * gibibyte,
  memoryOf: 'stranger',
  limitBytes: 8 * gibibyte,
  limitOf: 'stranger',
  cpuMillis: 4000,
  diskBytes: 100 * gibibyte,
  containers: 60,
  volumes: 64,
  countsOf: 'stranger',
  gpus: 0,
  gpusOf: 'server',
};

/** `pod field: message (hint)` */
function said(fields: Parameters<typeof pod>[1], has?: Parameters<typeof beyond>[2], limits = max): string[] {
  const spec = specOf(pod('web'), pod('db', fields));
  return beyond(spec, limits, has).map(
    ({ pod: index, field, message, hint }) => `${spec.pods[index]!.name} ${field.join('.')}: ${message} (${hint})`,
  );
}

const volume = (gibibytes: number) => ({ name: 'data', sizeBytes: gibibytes * gibibyte, mountPath: '/data' });
const memory = (requests: number | undefined, limits: number | undefined) => ({
  resources: {
    requests: requests === undefined ? {} : { memoryBytes: requests * gibibyte },
    limits: limits === undefined ? {} : { memoryBytes: limits * gibibyte },
  },
});

test('a volume that no disk here can hold is refused with the size that one could', () => {
  assert.deepEqual(said({ volumes: [volume(9 * 1024)] }), [
    'db volumes.0: the application requests 9 TiB of disk space, and this server has 100 GiB at most (write at most 99Gi)',
  ]);
  assert.deepEqual(said({ volumes: [volume(99)] }), []);
});

test('more memory than possible without an account is refused with the maximum', () => {
  assert.deepEqual(said(memory(undefined, 64)), [
    'db resources.limits.memory: 64 GiB of memory are requested, and without an account 8 GiB are possible at most (write at most 8Gi)',
  ]);
  assert.deepEqual(said(memory(64, undefined)), [
    'db resources.requests.memory: the application reserves 64 GiB of memory, and without an account 8 GiB are possible at most (write at most 8160Mi)',
  ]);
  assert.deepEqual(said(memory(4, 8)), []);
});

test('many replicas of a limit count together, a sixteenth of each', () => {
  const limited = { ...memory(undefined, 8), replicas: 20 };
  assert.deepEqual(said(limited), [
    'db resources.limits.memory: the application reserves 10 GiB of memory, and without an account 8 GiB are possible at most (write at most 6528Mi)',
  ]);
});

test('processors are those of the server', () => {
  const found = said({ resources: { requests: { cpuMillis: 5000 }, limits: {} } });
  assert.match(found.join(), /^db resources\.requests\.cpu: .* this server has 4000m at most \(write at most 3937m\)$/);
});

test('what was written is possible when one follows the hint', () => {
  assert.deepEqual(said({ volumes: [{ ...volume(1), sizeBytes: 102334 * 2 ** 20 }] }), []);
  assert.deepEqual(said({ ...memory(undefined, 6528 / 1024), replicas: 20 }), []);
  assert.deepEqual(said(memory(8160 / 1024, undefined)), []);
});

test('an update that requests no more is accepted, although the server has become smaller', () => {
  const fields = { volumes: [volume(200)], ...memory(2, undefined) };
  const has = amountOf(specOf(pod('web'), pod('db', fields)));
  assert.deepEqual(said(fields, { has }), []);
  assert.equal(said({ ...fields, volumes: [volume(201)] }, { has }).length, 1);
});

test('the smaller one of server and owner decides, and is named', () => {
  const budget = { memoryBytes: 4 * gibibyte, cpuMillis: 1, diskBytes: 1, emptyDiskBytes: 2 };
  const strangers = { perSession: 1, perAddress: 1, memoryBytesPerAddress: 8 * gibibyte };
  assert.deepEqual(maximumOf({ ...budget, machineMemoryBytes: 5 * gibibyte }, strangers), {
    memoryBytes: 4 * gibibyte,
    memoryOf: 'server',
    limitBytes: 5 * gibibyte,
    limitOf: 'server',
    cpuMillis: 1,
    diskBytes: 2,
    containers: 60,
    volumes: 64,
    countsOf: 'stranger',
    gpus: 0,
    gpusOf: 'server',
  });
  const planned = maximumOf(budget, strangers, planOf('small', gibibyte));
  assert.deepEqual([planned.memoryOf, planned.memoryBytes], [{ plan: 'small' }, gibibyte]);
  assert.equal(
    maximumOf({ memoryBytes: 1, cpuMillis: 1, diskBytes: 1 }, strangers).diskBytes,
    Number.POSITIVE_INFINITY,
  );
});

test('a limit, of which little is counted, may be as large with a small plan as without one, and larger with a large one', () => {
  const strangers = { perSession: 1, perAddress: 1, memoryBytesPerAddress: 8 * gibibyte };
  const budget = { memoryBytes: 64 * gibibyte, cpuMillis: 1, diskBytes: 1, machineMemoryBytes: 80 * gibibyte };
  const limits = [undefined, planOf('small', gibibyte), planOf('large', 16 * gibibyte), planOf('huge', 2 ** 40)].map(
    (tier) => maximumOf(budget, strangers, tier),
  );
  assert.deepEqual(
    limits.map(({ limitBytes, limitOf }) => [limitBytes / gibibyte, limitOf]),
    [
      [8, 'stranger'],
      [8, { plan: 'small' }],
      [16, { plan: 'large' }],
      [80, 'server'],
    ],
  );
});

test('a limit beyond what all may set aside is possible where the machine has it', () => {
  assert.deepEqual(said(memory(undefined, 7), undefined, { ...max, memoryBytes: gibibyte, memoryOf: 'server' }), []);
});

test('a disk too small for logs alone is not an error of a configuration without volumes', () => {
  assert.deepEqual(said({}, undefined, { ...max, diskBytes: 0 }), []);
});

const tiny = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `v${index}`, sizeBytes: 1, mountPath: `/v${index}` }));

test('more containers, volumes or GPUs than a deployment can have are refused with the most that is possible', () => {
  assert.deepEqual(said({ replicas: 60 }), [
    'db replicas: the application has 61 containers, and without an account 60 containers are possible at most (write at most 59)',
  ]);
  assert.deepEqual(said({ volumes: tiny(65) }), [
    'db volumes: the application has 65 volumes, and without an account 64 volumes are possible at most (write at most 64 of them)',
  ]);
  assert.deepEqual(said({ volumes: tiny(5), replicas: 20, resourceType: 'statefulset' }), [
    'db replicas: the application has 100 volumes, and without an account 64 volumes are possible at most (write at most 12)',
  ]);
  assert.deepEqual(said({ volumes: tiny(50), replicas: 2, resourceType: 'statefulset' }), [
    'db volumes: the application has 100 volumes, and without an account 64 volumes are possible at most (write at most 32 of them)',
  ]);
  const plan = { ...max, gpus: 1, gpusOf: { plan: 'free' } };
  assert.deepEqual(said({ useGPU: true }), [
    'db useGPU: the application has 1 GPU, and this server gives no GPUs to applications (leave out useGPU (Compose: its gpus or devices); the pod then runs without one)',
  ]);
  assert.deepEqual(said({ useGPU: true }, undefined, plan), []);
  assert.deepEqual(said({ useGPU: true, replicas: 2 }, undefined, plan), [
    'db useGPU: the application has 2 GPUs, and with the plan "free" 1 GPU is possible at most (write at most 1 replicas)',
  ]);
});

test('a deployment above the present maximum may request the same or less, but not more', () => {
  const has = amountOf(specOf(pod('web'), pod('db', { volumes: tiny(50), replicas: 2, resourceType: 'statefulset' })));
  const next = (count: number) =>
    said({ volumes: tiny(count), replicas: 2, resourceType: 'statefulset' }, { has }).length;
  assert.deepEqual([next(50), next(40), next(51)], [0, 0, 1]);
});

test('what one deployment may have is no more than all of its session may', () => {
  const strangers = { perSession: 9, perAddress: 9, memoryBytesPerAddress: 1, caps: { volumesPerSession: 5, gpus: 3 } };
  const { volumes, containers, gpus, gpusOf } = maximumOf(
    { memoryBytes: 1, cpuMillis: 1, diskBytes: 1, gpus: 2 },
    strangers,
  );
  assert.deepEqual({ volumes, containers, gpus, gpusOf }, { volumes: 5, containers: 60, gpus: 2, gpusOf: 'server' });
});

function planOf(name: string, memoryBytes: number): Tier {
  return { name, deployments: 1, memoryBytes, allowsReservations: false, lifetimeMs: null };
}
