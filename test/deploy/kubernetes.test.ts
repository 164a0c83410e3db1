/** The manifests of `deploy/kubernetes`: what the service account may do, and that they fit each other and the settings. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { ownImageName } from '../../scripts/image.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { deployedRules, printRules } from '../kubernetes/role.ts';

const folder = join(import.meta.dirname, '../../deploy/kubernetes');

type Kustomization = {
  namespace: string;
  resources: string[];
  patchesStrategicMerge?: string[];
  images?: { name: string; newTag: string }[];
};
// biome-ignore lint/suspicious/noExplicitAny: manifests of any kind
type Manifest = any;

const read = async (path: string) => await readFile(join(folder, path), 'utf8');

async function manifestsOf(name: string): Promise<Manifest[]> {
  const { resources, patchesStrategicMerge: patches = [] } = parse(
    await read(`${name}/kustomization.yaml`),
  ) as Kustomization;
  const files = [...resources, ...patches].filter((each) => each.endsWith('.yaml'));
  const texts = await Promise.all(files.map((file) => read(`${name}/${file}`)));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJSON()));
}

test('the service account may do this and nothing else: it reads no Secret', async () => {
  assert.deepEqual(printRules(await deployedRules()), [
    'namespaces: get, list, watch, create, patch, delete',
    'nodes: list, watch',
    'pods: list, watch',
    'pods/log: get',
    'pods/exec: get, create',
    'services: get, list, create, patch, delete',
    'persistentvolumeclaims: list, watch, create, patch, delete',
    'storage.k8s.io/storageclasses: get',
    'snapshot.storage.k8s.io/volumesnapshotclasses: list',
    'snapshot.storage.k8s.io/volumesnapshots: list, create, patch, delete',
    'secrets: create, patch, delete',
    'resourcequotas: create, patch',
    'networking.k8s.io/networkpolicies: list, watch, create, patch',
    'apps/deployments: list, watch, create, patch, delete',
    'batch/jobs: list, watch, create, patch, delete',
  ]);
});

test('every file is part of a kustomization, and every kustomization names files that are there', async () => {
  for (const name of ['base', 'small', 'fleet']) {
    const { resources, patchesStrategicMerge: patches = [] } = parse(
      await read(`${name}/kustomization.yaml`),
    ) as Kustomization;
    assert.deepEqual(
      [...resources, ...patches, 'kustomization.yaml'].sort(),
      (await readdir(join(folder, name))).sort(),
      name,
    );
  }
});

test('the settings of both overlays are settings, and fit the ports of pods and Services', async () => {
  const base = await manifestsOf('base');
  const pod = base.find(({ kind }) => kind === 'Deployment').spec.template.spec;
  const ports = new Map(pod.containers[0].ports.map(({ name, containerPort }: Manifest) => [name, containerPort]));
  const images = base.find(({ kind, metadata }) => kind === 'Service' && metadata.name === 'berth-images').spec
    .ports[0];
  for (const name of ['small', 'fleet']) {
    const { data } = (await manifestsOf(name)).find(({ kind }) => kind === 'ConfigMap');
    const result = readSettings(data);
    assert.ok(result.ok, JSON.stringify(result));
    const { engine, port, nodeGate, dataDir } = result.settings;
    assert.equal(engine, 'kubernetes');
    assert.equal(port, ports.get('http'));
    assert.deepEqual(nodeGate, { host: '0.0.0.0', port: ports.get('images'), name: `localhost:${images.nodePort}` });
    assert.ok(pod.containers[0].volumeMounts.some(({ mountPath }: Manifest) => mountPath === dataDir));
  }
});

test('both overlays run the image that is built here, of this version', async () => {
  for (const name of ['small', 'fleet']) {
    const { images } = parse(await read(`${name}/kustomization.yaml`)) as Kustomization;
    assert.deepEqual(
      images?.map((image) => `${image.name}:${image.newTag}`),
      [await ownImageName()],
      name,
    );
  }
});

test('probes ask at a host that is never an application: any other one than its own would be looked for as one', async () => {
  const { spec } = (await manifestsOf('base')).find(({ kind }) => kind === 'Deployment').spec.template;
  for (const probe of ['readinessProbe', 'livenessProbe', 'startupProbe']) {
    const { httpHeaders } = spec.containers[0][probe].httpGet;
    assert.deepEqual(httpHeaders, [{ name: 'Host', value: 'localhost' }], probe);
  }
  const base = await manifestsOf('base');
  const images = base.find(({ kind, metadata }) => kind === 'Service' && metadata.name === 'berth-images');
  assert.equal(images.spec.publishNotReadyAddresses, true, 'nodes pull before Berth is ready');
});

test('Berth itself runs without privileges: no root, no capability, and it can only write its data', async () => {
  const { spec } = (await manifestsOf('base')).find(({ kind }) => kind === 'Deployment').spec.template;
  assert.partialDeepStrictEqual(spec.securityContext, {
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  assert.deepEqual(spec.containers[0].securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  for (const { hostPath } of spec.volumes) assert.equal(hostPath, undefined);
});

test('one process has the database as a file, and several have it by a URL that is not in the settings', async () => {
  const small = await manifestsOf('small');
  assert.deepEqual(small.filter(({ kind }) => kind === 'PersistentVolumeClaim').length, 1);
  const fleet = (await manifestsOf('fleet')).find(({ kind }) => kind === 'Deployment').spec;
  assert.equal(fleet.replicas, 2);
  assert.equal(fleet.template.spec.containers[0].envFrom[1].secretRef.optional, false);
});
