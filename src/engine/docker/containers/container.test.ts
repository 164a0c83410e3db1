import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Resources } from '../../../config/spec/spec.ts';
import type { Workload } from '../../../deployment/workload/workload.ts';
import { bridgeName, bridgePrefix } from '../names.ts';
import { type ContainerRequest, containerOptions } from './container.ts';

const plain: Workload = {
  name: 'berth-abc-web-1-0',
  pod: 'web',
  revision: 1,
  replica: 0,
  fingerprint: 'f',
  image: 'nginx:1',
  env: { A: '1', B: 'x=y' },
  files: [],
  volumes: [],
  ports: [80],
  aliases: ['web', 'web.pod'],
  resources: { requests: {}, limits: {} },
  useGPU: false,
  readiness: { kind: 'port', port: 80 },
};

function options(workload: Partial<Workload> = {}, request: Partial<ContainerRequest> = {}) {
  return containerOptions({
    owner: 'me',
    epoch: 1,
    deploymentId: 'abc',
    workload: { ...plain, ...workload },
    address: '10.200.0.2',
    image: { architecture: 'amd64', volumes: [], labels: [], hasHealthCheck: false, name: 'x:1', pinned: undefined },
    host: {
      architecture: 'amd64',
      memoryBytes: 2 ** 33,
      rootDirectory: '/var/lib/docker',
      keepsImagesInContainerd: false,
      cpus: 4,
      apiVersion: '1.41',
      containerRoot: { uid: 0, gid: 0 },
    },
    runtime: 'runc',
    stopSeconds: 5,
    ...request,
  });
}

const host = (workload?: Partial<Workload>, request?: Partial<ContainerRequest>) =>
  options(workload, request).HostConfig!;

test('a workload gets its names, its address and its environment', () => {
  const { name, Env, NetworkingConfig, Hostname } = options();
  assert.deepEqual({ name, Env, Hostname }, { name: plain.name, Env: ['A=1', 'B=x=y'], Hostname: 'web' });
  assert.equal(options({ hostname: 'web-0' }).Hostname, 'web-0');
  assert.deepEqual(NetworkingConfig, {
    EndpointsConfig: {
      'berth-abc': { Aliases: ['web', 'web.pod'], IPAMConfig: { IPv4Address: '10.200.0.2' } },
    },
  });
});

test('entrypoint and command are left to the image unless given', () => {
  assert.ok(!('Entrypoint' in options()) && !('Cmd' in options()));
  const { Entrypoint, Cmd } = options({ entrypoint: ['/bin/sh', '-c'], command: ['a b'] });
  assert.deepEqual([Entrypoint, Cmd], [['/bin/sh', '-c'], ['a b']]);
});

test('user and directory are left to the image unless given', () => {
  assert.ok(!('User' in options()) && !('WorkingDir' in options()));
  const { User, WorkingDir } = options({ user: 'www-data', workingDir: '/srv' });
  assert.deepEqual([User, WorkingDir], ['www-data', '/srv']);
});

test('services come back after anything, jobs get three more tries', () => {
  assert.equal(host().RestartPolicy?.Name, 'unless-stopped');
  assert.deepEqual(host({ readiness: { kind: 'exit' } }).RestartPolicy, { Name: 'on-failure', MaximumRetryCount: 3 });
});

test('a service that may end comes back after failures alone, however many', () => {
  const { RestartPolicy } = host({ readiness: { kind: 'running', mayEnd: true } });
  assert.deepEqual(RestartPolicy, { Name: 'on-failure', MaximumRetryCount: 0 });
});

test('without limits there are 512 MiB and one processor, or what is requested when that is more', () => {
  assert.deepEqual([host().Memory, host().NanoCpus], [512 * 2 ** 20, 1e9]);
  const { Memory, MemoryReservation, NanoCpus, CpuShares } = host({
    resources: { requests: { memoryBytes: 2 ** 30, cpuMillis: 2000 }, limits: {} },
  });
  assert.deepEqual([Memory, MemoryReservation, NanoCpus, CpuShares], [2 ** 30, 2 ** 30, 2e9, 2048]);
});

test('Docker accepts any resources, because they are kept within its bounds', () => {
  const resources: fc.Arbitrary<Resources> = fc.record(
    { cpuMillis: fc.nat(1_000_000), memoryBytes: fc.nat(2 ** 40) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(resources, resources, (requests, limits) => {
      const config = host({ resources: { requests, limits } });
      assert.ok(config.Memory! >= 6 * 2 ** 20);
      assert.equal(config.MemorySwap, config.Memory);
      assert.ok((config.MemoryReservation ?? 0) <= config.Memory!);
      assert.ok(config.NanoCpus! >= 10_000_000 && config.NanoCpus! <= 4e9);
      assert.ok((config.CpuShares ?? 2) >= 2);
    }),
  );
});

test('nothing of the host is in the container', () => {
  const config = host({ volumes: [{ volume: 'data', mountPath: '/data/' }] });
  for (const key of ['Binds', 'Devices', 'PortBindings', 'VolumesFrom', 'PidMode', 'ExtraHosts'] as const)
    assert.ok(!(key in config), key);
  assert.deepEqual(config.CapDrop, ['ALL']);
  assert.deepEqual(
    config.Mounts?.map(({ Type, Source, Target }) => `${Type} ${Source} ${Target}`),
    ['volume berth-abc-data /data'],
  );
});

test('GPUs only on request, gVisor only if configured', () => {
  assert.ok(!('DeviceRequests' in host()));
  const one = host({ useGPU: true }, { gpu: 3 }).DeviceRequests;
  assert.deepEqual(one, [{ Driver: '', DeviceIDs: ['3'], Capabilities: [['gpu']] }]);
  assert.ok(!('DeviceRequests' in host({ useGPU: true })), 'and where one is given');
  assert.equal(host({}, { runtime: 'runsc' }).Runtime, 'runsc');
});

test("names are searched in no domain of the machine's, and resolved by its own resolvers unless others are set", () => {
  assert.deepEqual([host().DnsSearch, 'Dns' in host()], [['.'], false]);
  const { Dns, DnsSearch } = host({}, { resolvers: ['9.9.9.9', '10.0.0.53'] });
  assert.deepEqual({ Dns, DnsSearch }, { Dns: ['9.9.9.9', '10.0.0.53'], DnsSearch: ['.'] });
});

test('a container may have 256 processes, for each of which gVisor makes two', () => {
  assert.equal(host().PidsLimit, 256);
  const ofGvisor = host({}, { runtime: 'runsc' }).PidsLimit ?? 0;
  assert.ok(ofGvisor > 2 * 256 && ofGvisor < 3 * 256);
});

test("the image's health check is used if nothing else decides, at times that are all ours", () => {
  const image = {
    architecture: 'amd64',
    volumes: [],
    labels: [],
    hasHealthCheck: true,
    name: 'x:1',
    pinned: undefined,
  };
  const newer = {
    architecture: 'amd64',
    memoryBytes: 2 ** 33,
    rootDirectory: '/var/lib/docker',
    keepsImagesInContainerd: false,
    cpus: 4,
    apiVersion: '1.44',
    containerRoot: { uid: 0, gid: 0 },
  };
  const running: Workload['readiness'] = { kind: 'running' };
  const ours = { Timeout: 5e9, Retries: 3, StartPeriod: 60e9 };
  assert.deepEqual(options({ readiness: running }, { image }).Healthcheck, { ...ours, Interval: 5e9 });
  assert.deepEqual(options({ readiness: running }, { image, host: newer }).Healthcheck, {
    ...ours,
    Interval: 10e9,
    StartInterval: 1e9,
  });
  const patient: Workload['readiness'] = { kind: 'running', startPeriodSeconds: 300 };
  assert.equal(options({ readiness: patient }, { image }).Healthcheck?.StartPeriod, 300e9);
  const times = { initialDelaySeconds: 0, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 };
  const withoutImage: Workload['readiness'][] = [
    { kind: 'exit' },
    { kind: 'command', command: ['true'], ...times },
    { kind: 'port', port: 80 },
    { kind: 'port', port: 80, ignoresImage: true },
    { kind: 'running', ignoresImage: true },
  ];
  for (const readiness of withoutImage)
    assert.deepEqual(options({ readiness }, { image }).Healthcheck, { Test: ['NONE'] }, readiness.kind);
  assert.ok(!('Healthcheck' in options()));
});

test('what an image plants as labels says nothing, and takes nothing from ours', () => {
  const labels = ['traefik.enable', 'berth.owner', 'berth.stop-seconds'];
  const image = { architecture: 'amd64', volumes: [], labels, hasHealthCheck: false, name: 'x:1', pinned: undefined };
  const { Labels } = options({}, { image });
  assert.equal(options().Labels?.['berth.owner'], 'me');
  assert.deepEqual(Labels, { ...options().Labels, 'traefik.enable': '', 'berth.stop-seconds': '' });
});

test('volumes of the image: one below a mount is kept with it, others are anonymous and labelled', () => {
  const image = {
    architecture: 'amd64',
    volumes: ['/var/lib/postgresql/data', '/cache', '/var/lib/postgresql'],
    labels: [],
    hasHealthCheck: false,
    name: 'x:1',
    pinned: undefined,
  };
  const volumes = [{ volume: 'pg', mountPath: '/var/lib/postgresql' }];
  const mounts = host({ volumes }, { image }).Mounts!;
  assert.deepEqual(
    mounts.map(({ Source, Target, VolumeOptions }) => `${Source} ${Target} ${VolumeOptions?.Labels['berth.volume']}`),
    ['berth-abc-pg /var/lib/postgresql pg', 'berth-abc-pg.data /var/lib/postgresql/data pg', ' /cache undefined'],
  );
  assert.deepEqual(
    mounts.map(({ VolumeOptions }) => VolumeOptions?.Labels['berth.below']),
    [undefined, 'data', undefined],
  );
  assert.ok(mounts.every(({ VolumeOptions }) => VolumeOptions?.Labels['berth.owner'] === 'me'));
});

test('the name of a bridge has at most 15 characters, begins as all of its installation and differs for every deployment', () => {
  const names = ['abcdefghij', 'abcdefghik', 'a-deployment-with-a-long-name-1', 'a'].map((id) => bridgeName('me', id));
  assert.ok(
    names.every((name) => name.length === 15 && name.startsWith(bridgePrefix('me'))),
    names.join(),
  );
  assert.equal(new Set(names).size, names.length);
  assert.match(bridgePrefix('me'), /^brt-[0-9a-z]{4}$/);
  assert.notEqual(bridgePrefix('me'), bridgePrefix('you'));
});

test('a shared folder is an anonymous volume of the deployment, and read-only unless the service fills it', () => {
  const sharedFolders = [
    { directory: '/data/a', mountPath: '/bases/0' },
    { directory: '/data/b', mountPath: '/base', isWritable: true as const },
  ];
  const mounts = host({ sharedFolders }).Mounts!;
  assert.deepEqual(
    mounts.map(({ Source, Target, VolumeOptions }) => [Source, Target, VolumeOptions?.DriverConfig?.Options]),
    [
      ['', '/bases/0', { type: 'none', o: 'bind,ro', device: '/data/a' }],
      ['', '/base', { type: 'none', o: 'bind', device: '/data/b' }],
    ],
  );
});
