import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { V1JobSpec } from '@kubernetes/client-node';
import { stringify } from 'yaml';
import { parseEgress } from '../../../deployment/workload/egress.ts';
import type { Workload } from '../../../deployment/workload/workload.ts';
import { EngineFault } from '../../engine.ts';
import { clusterName, objectName } from '../names.ts';
import type { Manifest } from '../objects.ts';
import { serviceManifests } from '../services.ts';
import { asideManifest, asideName, claimManifest, fromSnapshotManifest, volumeSnapshotManifest } from './claim.ts';
import { copierManifest } from './copier.ts';
import { readWorkloadMarks, workloadMarks } from './marks.ts';
import { mountsOf } from './mounts.ts';
import { namespaceManifest, quotaManifest } from './namespace.ts';
import { networkPolicy } from './network-policy.ts';
import { pullSecretManifest, pullSecretName } from './pull-secret.ts';
import { controllerManifest, secretManifest, volumeGroupOf, type WorkloadRequest } from './workload.ts';

const owner = 'berthowner';
const deploymentId = 'abcdefghij';

const web: Workload = {
  name: `berth-${deploymentId}-web-2-0`,
  pod: 'web',
  revision: 2,
  replica: 0,
  fingerprint: 'f1',
  image: 'nginx:1',
  env: { GREETING: 'hello $(HOSTNAME)', 'with.dot': '' },
  files: [{ path: '/etc/app/../nginx/site.conf', content: 'listen 80;\0' }],
  volumes: [{ volume: 'Web_Data', mountPath: '/srv/' }],
  ports: [80, 443, 80],
  aliases: ['web.pod', 'web', 'web-0.pod', 'web-0', 'Not_A_Host'],
  command: ['serve', '$HOME', '$(GREETING)'],
  resources: { requests: {}, limits: { memoryBytes: 2 ** 28 } },
  useGPU: false,
  readiness: { kind: 'port', port: 80 },
};

const migrate: Workload = {
  ...web,
  name: `berth-${deploymentId}-migrate-2-0`,
  pod: 'migrate',
  env: {},
  files: [],
  volumes: [],
  ports: [],
  aliases: ['migrate'],
  user: '1000:1000',
  workingDir: '/app',
  entrypoint: ['/bin/migrate'],
  container: { readOnly: true, stopGraceSeconds: 60, shmBytes: 2 ** 26, extraHosts: { api: '203.0.113.7' } },
  readiness: { kind: 'exit' },
};

const request = (workload: Workload, changes: Partial<WorkloadRequest> = {}): WorkloadRequest => ({
  owner,
  deploymentId,
  workload,
  image: 'nginx:1',
  names: [{ address: '10.96.3.4', aliases: ['db', 'db.pod'] }],
  stopSeconds: 5,
  diskBytes: 2 ** 30,
  hasLowPorts: false,
  ...changes,
});

const here = { edgeNetworks: ['10.250.0.1/32'], hasPortRanges: true, storeVersion: 1_000 };

const golden: Record<string, Manifest[]> = {
  'a service with its objects': [
    secretManifest(request(web)),
    ...serviceManifests({ owner, deploymentId, workload: web }),
    controllerManifest(request(web, { imageVolumes: ['/srv/cache'], hasLowPorts: true })),
  ],
  'a job': [secretManifest(request(migrate)), controllerManifest(request(migrate, { runtime: 'runsc' }))],
  'what a node pulls': [
    pullSecretManifest(request(web), { registry: 'localhost:30500', username: 'node', password: 'a pass' }),
    controllerManifest(
      request(migrate, {
        image: 'localhost:30500/berth.gate/x',
        pullSecret: pullSecretName(deploymentId, migrate.name),
      }),
    ),
  ],
  'a namespace': [
    namespaceManifest({ owner, deploymentId, epoch: 1, egress: { kind: 'open' } }),
    namespaceManifest({ owner, deploymentId, epoch: 1 }),
    quotaManifest(owner, deploymentId),
    claimManifest({ owner, deploymentId, volume: 'Web_Data', sizeBytes: 2 ** 30, storageClass: 'fast' }),
  ],
  'a copy of volumes': [
    asideManifest({ owner, deploymentId, volume: 'Web_Data', sizeBytes: 2 ** 30, key: 'monday', part: 'copy' }),
    copierManifest({
      owner,
      deploymentId,
      key: 'monday',
      part: 'copy-0',
      image: 'node:1',
      pullSecret: 'a-pull',
      node: 'one',
      mounts: [
        { claim: 'data', path: '/from/0', readOnly: true },
        { claim: asideName('copy', 'monday', 'Web_Data'), path: '/to/0', readOnly: false },
      ],
    }),
  ],
  'a volume snapshot': [
    volumeSnapshotManifest({
      owner,
      deploymentId,
      volume: 'Web_Data',
      key: 'monday',
      claim: 'web-data-1',
      className: 'quick',
    }),
    fromSnapshotManifest({
      owner,
      deploymentId,
      volume: 'Web_Data',
      sizeBytes: 2 ** 30,
      storageClass: 'fast',
      key: 'monday',
    }),
  ],
  'what leaves a namespace': [
    networkPolicy(owner, deploymentId, { kind: 'open' }, here),
    networkPolicy(owner, deploymentId, { kind: 'open' }, { ...here, edgeNetworks: [], hasPortRanges: false }),
    networkPolicy(owner, deploymentId, { kind: 'none' }, here),
    networkPolicy(owner, deploymentId, parseEgress('203.0.113.0/24:443,[2001:db8::/32]')!, here),
  ],
};

for (const [name, manifests] of Object.entries(golden)) {
  test(`${name}: as it was; another manifest restarts what runs`, async () => {
    const file = join(import.meta.dirname, '../../../../test/golden/kubernetes', `${name.replaceAll(' ', '-')}.yaml`);
    const text = manifests.map((manifest) => stringify(manifest, { aliasDuplicateObjects: false })).join('---\n');
    if (process.env.WRITE_GOLDEN === '1') await writeFile(file, text);
    assert.equal(text, await readFile(file, 'utf8'));
  });
}

/** The container of a workload. */
function containerOf(workload: Workload) {
  const manifest = controllerManifest(request(workload));
  assert.ok(manifest.kind === 'Deployment' || manifest.kind === 'Job');
  return manifest.spec.template.spec!.containers[0]!;
}

test('a copier only gets its claims, and shares no label with a workload', () => {
  const copier = copierManifest({ owner, deploymentId, key: 'monday', part: 'read-0', image: 'node:1', mounts: [] });
  assert.ok(copier.kind === 'Job');
  const { metadata, spec } = copier.spec.template;
  assert.equal(spec?.automountServiceAccountToken, false);
  assert.deepEqual(
    spec?.containers.map(({ env, command }) => ({ env, program: command?.[0] })),
    [{ env: [{ name: 'LC_ALL', value: 'C' }], program: 'sleep' }],
  );
  assert.deepEqual(Object.keys(metadata?.labels ?? {}).sort(), [
    'berth.copier',
    'berth.copy',
    'berth.deployment',
    'berth.owner',
  ]);
  const moved = controllerManifest(request(web, { claims: new Map([['Web_Data', 'another-claim']]) }));
  assert.ok(moved.kind === 'Deployment');
  assert.deepEqual(
    moved.spec.template.spec?.volumes?.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []),
    ['another-claim'],
  );
});

test('no value of the environment and no file is in what runs a workload, but in its Secret', () => {
  const secret = 'a secret value';
  const reported = { ...web, env: { PASSWORD: secret }, files: [{ path: '/etc/secret', content: secret }] };
  assert.ok(!JSON.stringify(controllerManifest(request(reported))).includes(secret));
  const manifest = secretManifest(request(reported));
  assert.ok(manifest.kind === 'Secret');
  assert.deepEqual(
    Object.values(manifest.data).map((value) => Buffer.from(value, 'base64').toString()),
    [secret, secret],
  );
});

test('the words of a command arrive as they were written: nothing is put in for a variable', () => {
  assert.deepEqual(containerOf(web).args, ['serve', '$$HOME', '$$(GREETING)']);
});

test('what cannot be a name on a cluster gets one with a hash, and two never the same', () => {
  assert.equal(clusterName('db-data'), 'db-data');
  const names = ['Web_Data', 'web-data', 'web_data', 'web.data', '0-data', 'x'.repeat(63)].map(clusterName);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.match(name, /^[a-z]([a-z0-9-]{0,50}[a-z0-9])?$/);
  assert.equal(objectName(deploymentId, web.name), 'web-2-0');
});

test('what marks say of a workload is read as it was written', () => {
  const { annotations, labels } = workloadMarks(owner, deploymentId, web);
  const { name, pod, revision, replica, fingerprint, readiness } = web;
  const read = { deploymentId, name, pod, revision, replica, fingerprint, readiness };
  assert.deepEqual(readWorkloadMarks(annotations), read);
  assert.equal(readWorkloadMarks(labels), undefined);
});

test('a volume belongs to the group of users other than root: of the workload, or else of the image, by number', () => {
  const groups: [user: string | undefined, imageUser: string | undefined, group: number | undefined][] = [
    ['1000:2000', '3000', 2000],
    ['1000', undefined, 1000],
    [undefined, '3000:4000', 4000],
    ['0', '3000', undefined],
    [undefined, 'web', undefined],
    [undefined, undefined, undefined],
  ];
  for (const [user, imageUser, group] of groups)
    assert.equal(volumeGroupOf(user === undefined ? {} : { user }, imageUser), group);
  const manifest = controllerManifest(request(web, { imageUser: '101' }));
  assert.ok(manifest.kind === 'Deployment');
  assert.equal(manifest.spec.template.spec!.securityContext?.fsGroup, 101);
  const without = controllerManifest(request({ ...web, volumes: [] }, { imageUser: '101' }));
  assert.ok(without.kind === 'Deployment');
  assert.equal(without.spec.template.spec!.securityContext?.fsGroup, undefined);
});

test('no file is put where the cluster has its own', () => {
  for (const path of ['/etc/hosts', '/etc/../proc/x', '/dev/null'])
    assert.throws(() => mountsOf({ deploymentId, workload: { ...web, files: [{ path, content: '' }] } }), EngineFault);
});

test('a pod that requests a GPU is placed on a node that has one', () => {
  assert.equal(containerOf({ ...web, useGPU: true }).resources?.limits?.['nvidia.com/gpu'], '1');
  assert.equal(containerOf(web).resources?.limits?.['nvidia.com/gpu'], undefined);
});

test('pods without volumes that are not jobs leave an absent node after 30 s; all others when the cluster decides', () => {
  const seconds = (workload: Workload) => {
    const manifest = controllerManifest(request(workload));
    assert.ok(manifest.kind === 'Deployment' || manifest.kind === 'Job');
    return (manifest.spec.template.spec!.tolerations ?? []).map(({ tolerationSeconds }) => tolerationSeconds);
  };
  assert.deepEqual(seconds({ ...web, volumes: [] }), [30, 30]);
  assert.deepEqual([seconds(web), seconds(migrate)], [[], []]);
});

test('what its plan says a workload runs in goes before what the operator says for all', () => {
  const classOf = (ofPlan: Workload['runtime'], ofAll: WorkloadRequest['runtime']) => {
    const manifest = controllerManifest(request({ ...web, ...(ofPlan && { runtime: ofPlan }) }, { runtime: ofAll }));
    assert.ok(manifest.kind === 'Deployment');
    return manifest.spec.template.spec!.runtimeClassName;
  };
  assert.deepEqual([classOf(undefined, 'runc'), classOf(undefined, 'runsc')], [undefined, 'gvisor']);
  assert.deepEqual([classOf('runsc', 'runc'), classOf('runc', 'runsc')], ['gvisor', undefined]);
});

test('a service that may end is a job that is restarted after failures; with volumes it is a deployment', () => {
  const worker: Workload = { ...migrate, readiness: { kind: 'running', mayEnd: true } };
  const { kind, spec } = controllerManifest(request(worker)) as { kind: string; spec: V1JobSpec };
  assert.deepEqual([kind, spec.backoffLimit, spec.template.spec?.restartPolicy], ['Job', 1_000_000, 'OnFailure']);
  const writing = { ...worker, volumes: [{ volume: 'data', mountPath: '/data' }] };
  assert.equal(controllerManifest(request(writing)).kind, 'Deployment');
});

test('a builder may create user namespaces, is not restarted, and ends without its service', () => {
  const manifest = controllerManifest(request({ ...migrate, readiness: { kind: 'running' }, buildsImages: true }));
  assert.ok(manifest.kind === 'Job');
  const { backoffLimit, activeDeadlineSeconds, template } = manifest.spec;
  assert.deepEqual([backoffLimit, activeDeadlineSeconds, template.spec?.restartPolicy], [0, 1800, 'Never']);
  const { securityContext } = template.spec!.containers[0]!;
  assert.deepEqual(securityContext?.seccompProfile, { type: 'Localhost', localhostProfile: 'berth/builder.json' });
  assert.deepEqual(securityContext?.capabilities?.drop, ['ALL']);
  assert.ok(securityContext?.capabilities?.add?.includes('SETFCAP'));
  assert.equal(securityContext?.allowPrivilegeEscalation, false);
  assert.ok(!JSON.stringify(containerOf(migrate)).includes('SETFCAP'));
});

test('files keep their mode, readable by the user of the pod, and a hostname becomes a label', () => {
  const files = [
    { path: '/a', content: 'a' },
    { path: '/b', content: 'b', mode: '400', user: 1000 },
    { path: '/c', content: 'c', mode: '755' },
  ];
  const named: Workload = { ...web, files, container: { hostname: 'Rabbit_1.example.org' } };
  const { spec } = controllerManifest(request(named)) as { spec: V1JobSpec };
  const items = spec.template.spec?.volumes?.find(({ name }) => name === 'files')?.secret?.items;
  assert.deepEqual(
    items?.map(({ mode }) => mode),
    [undefined, 0o444, 0o755],
  );
  assert.equal(spec.template.spec?.hostname, 'rabbit-1');
});
