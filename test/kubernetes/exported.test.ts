/** The manifests that `berth export kubernetes` writes, judged by the API server of a cluster, which keeps nothing of them. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { exportKubernetes } from '../../src/config/export/kubernetes.ts';
import { parseConfiguration } from '../../src/config/parse.ts';
import { connectCluster } from '../../src/engine/kubernetes/cluster.ts';

type Written = { apiVersion: string; kind: string; metadata: { name: string } };

/** Uses server-side apply as a dry run, which reports unknown fields as errors. */
async function judge({ apiVersion, kind, metadata }: Written, object: object) {
  const api = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const kinds = `${kind.toLowerCase()}${kind.endsWith('s') ? 'es' : 's'}`;
  const cluster = await connectCluster();
  await cluster.request('PATCH', `${api}/namespaces/default/${kinds}/${metadata.name}`, {
    query: { fieldManager: 'berth-tests', force: true, dryRun: 'All' },
    contentType: 'application/apply-patch+yaml',
    body: object,
  });
  return `${kind} ${metadata.name}`;
}

test('a cluster takes every object of an application with something of everything', async () => {
  const parsed = parseConfiguration(await readFile(join(import.meta.dirname, '../golden/exported.yaml'), 'utf8'));
  assert.equal(parsed.kind, 'valid');
  const { spec } = parsed as Extract<typeof parsed, { kind: 'valid' }>;
  const { text } = exportKubernetes(spec, { withSecrets: false, host: 'shop.example.com' });
  const objects = parseAllDocuments(text).map((document) => document.toJS() as Written | null);
  const taken: string[] = [];
  for (const object of objects) if (object) taken.push(await judge(object, object));
  for (const kind of ['Deployment', 'Service', 'Ingress', 'Secret', 'ConfigMap', 'PersistentVolumeClaim', 'Job'])
    assert.ok(
      taken.some((one) => one.startsWith(`${kind} `)),
      `${kind}: ${taken.join(', ')}`,
    );
});

test('and refuses an object with an unknown field', async () => {
  const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'odd' }, spec: { nothing: 1 } };
  await assert.rejects(judge(object, object), /not declared in schema/);
});
