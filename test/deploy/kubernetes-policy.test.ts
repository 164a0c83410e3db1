/**
 * The admission policy of `deploy/kubernetes/policy`, whose expressions are evaluated here as a cluster of 1.30 and newer
 * does. The node of the tests is older and has no such policies.
 */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { evaluate } from '@marcbachmann/cel-js';
import { parse, parseAllDocuments } from 'yaml';

const root = join(import.meta.dirname, '../..');
// biome-ignore lint/suspicious/noExplicitAny: manifests of any kind
type Manifest = any;

const [policy, binding] = parseAllDocuments(
  await readFile(join(root, 'deploy/kubernetes/policy/confinement.yaml'), 'utf8'),
).map((document) => document.toJSON()) as [Manifest, Manifest];
const account = parse((await readFile(join(root, 'deploy/kubernetes/base/account.yaml'), 'utf8')).split('---')[0]!);
const { namespace } = parse(await readFile(join(root, 'deploy/kubernetes/base/kustomization.yaml'), 'utf8'));
const berth = `system:serviceaccount:${namespace}:${account.metadata.name}`;

type Asked = {
  resource: string;
  operation?: string;
  namespace?: string;
  name?: string;
  object?: Manifest;
  oldObject?: Manifest;
  username?: string;
};

/** Messages of the validations that refuse the request; none where the policy is not about its sender. */
function refusalsOf(requested: Asked): string[] {
  const { resource, operation = 'CREATE', username = berth, object = null, oldObject = null } = requested;
  const request = {
    operation,
    namespace: requested.namespace ?? '',
    name: requested.name ?? '',
    resource: { resource },
    userInfo: { username },
  };
  const context = { request, object, oldObject };
  const holds = ({ expression }: { expression: string }) => evaluate(expression, context) === true;
  if (!policy.spec.matchConditions.every(holds)) return [];
  return policy.spec.validations.filter((each: Manifest) => !holds(each)).map(({ message }: Manifest) => message);
}

const resourceOf = (kind: string) => (kind === 'NetworkPolicy' ? 'networkpolicies' : `${kind.toLowerCase()}s`);

test('all objects of a deployment pass the policy', async () => {
  const folder = join(root, 'test/golden/kubernetes');
  let seen = 0;
  for (const file of await readdir(folder))
    for (const document of parseAllDocuments(await readFile(join(folder, file), 'utf8'))) {
      const object: Manifest = document.toJSON();
      const { name, namespace: of } = object.metadata;
      assert.deepEqual(refusalsOf({ resource: resourceOf(object.kind), namespace: of, name, object }), [], file);
      seen += 1;
    }
  assert.ok(seen > 10);
});

const labels = { 'berth.owner': 'o', 'pod-security.kubernetes.io/enforce': 'baseline' };
const ours = { metadata: { name: 'berth-abc', labels } };
const template = (spec: object) => ({ spec: { template: { spec } } });

test('Berth changes nothing in namespaces of others, nor in its own', () => {
  for (const place of ['kube-system', 'default', 'berth-system', 'berthing', ''])
    for (const resource of ['secrets', 'deployments', 'jobs', 'pods']) {
      const object = template({ automountServiceAccountToken: false });
      assert.equal(refusalsOf({ resource, namespace: place, object }).length, 1, `${resource} in ${place}`);
    }
  assert.equal(refusalsOf({ resource: 'pods', operation: 'CONNECT', namespace: 'kube-system' }).length, 1);
  assert.deepEqual(refusalsOf({ resource: 'pods', operation: 'CONNECT', namespace: 'berth-abc' }), []);
});

test('Berth makes, changes and deletes namespaces of deployments alone, each with the baseline', () => {
  const of = (fields: Partial<Asked>) =>
    refusalsOf({ resource: 'namespaces', name: 'berth-abc', object: ours, ...fields });
  assert.deepEqual(of({}), []);
  assert.deepEqual(of({ operation: 'UPDATE', oldObject: ours }), []);
  assert.deepEqual(of({ operation: 'DELETE', object: null, oldObject: ours }), []);
  assert.equal(of({ name: 'kube-system' }).length, 1);
  assert.equal(of({ name: 'berth-system', operation: 'DELETE', object: null, oldObject: ours }).length, 1);
  for (const level of ['privileged', 'restricted']) {
    const object = { metadata: { labels: { ...labels, 'pod-security.kubernetes.io/enforce': level } } };
    assert.equal(of({ object }).length, 1, level);
  }
  assert.equal(of({ object: { metadata: {} } }).length, 1);
  assert.equal(of({ operation: 'UPDATE', oldObject: { metadata: { labels: { team: 'a' } } } }).length, 1);
  assert.equal(of({ operation: 'DELETE', object: null, oldObject: { metadata: {} } }).length, 1);
});

test('no pod of a deployment gets a token of the cluster', () => {
  const of = (spec: object) => refusalsOf({ resource: 'deployments', namespace: 'berth-abc', object: template(spec) });
  assert.deepEqual(of({ automountServiceAccountToken: false }), []);
  assert.deepEqual(of({ automountServiceAccountToken: false, serviceAccountName: 'default' }), []);
  assert.equal(of({}).length, 1);
  assert.equal(of({ automountServiceAccountToken: true }).length, 1);
  assert.equal(of({ automountServiceAccountToken: false, serviceAccountName: 'admin' }).length, 1);
});

test('the policy is about the service account of Berth alone, denies, and is bound', () => {
  assert.deepEqual(refusalsOf({ resource: 'secrets', namespace: 'kube-system', username: 'admin' }), []);
  assert.equal(policy.spec.failurePolicy, 'Fail');
  assert.deepEqual(binding.spec, { policyName: policy.metadata.name, validationActions: ['Deny'] });
});
