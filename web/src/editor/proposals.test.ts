import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigurationSchema } from '../../../src/config/schema/schema.ts';
import { cursorAt } from './cursor.ts';
import { podNamesOf, proposalsAt } from './proposals.ts';
import { composeSchema, describedAt, isComposeText, type Schema, typeOf } from './schema.ts';

const native = ConfigurationSchema as Schema;

/** Proposals at the end of a text. */
function offered(text: string, schema = native) {
  const lines = text.split('\n');
  const cursor = cursorAt(lines, lines.length - 1, lines.at(-1)!.length);
  return proposalsAt(schema, cursor, podNamesOf(text));
}
const labels = (text: string, schema = native) => offered(text, schema).map(({ label }) => label);

test('the missing keys of a pod are proposed, with a mark for required ones', () => {
  const proposals = offered('application:\n  pods:\n    - name: web\n      ');
  const keys = proposals.map(({ label }) => label);
  assert.ok(keys.includes('image') && keys.includes('servicePorts') && !keys.includes('name'));
  const image = proposals.find(({ label }) => label === 'image')!;
  assert.deepEqual([image.detail, image.text, image.isFirst], ['required', 'image: ', true]);
  assert.match(image.says!, /^Image with its tag or digest\. <% REGISTRY %>/);
});

test('a key is written with the beginning of its value', () => {
  const written = Object.fromEntries(offered('application:\n  pods:\n    - ').map(({ label, text }) => [label, text]));
  assert.equal(written.healthCheck, 'healthCheck:\n');
  assert.equal(written.vars, 'vars:\n');
  assert.equal(written.servicePorts, 'servicePorts: [');
  assert.equal(written.volumes, 'volumes:\n- ');
  assert.equal(written.replicas, 'replicas: ');
});

test('known values are proposed', () => {
  assert.deepEqual(labels('application:\n  pods:\n    - resourceType: '), [
    'deployment',
    'statefulset',
    'daemonset',
    'job',
  ]);
  assert.deepEqual(labels('application:\n  pods:\n    - useGPU: '), ['true', 'false']);
  assert.ok(labels('application:\n  pods:\n    - image: ').includes('postgres:15'));
  const pods = 'application:\n  pods:\n    - name: db\n    - name: web\n      ';
  assert.deepEqual(labels(`${pods}dependsOn: [`), ['db', 'web']);
  assert.ok(labels(`${pods}vars:\n        HOST: `).includes('db.pod'));
  assert.ok(labels(`${pods}vars:\n        HOST: `).includes('<% URL %>'));
  assert.ok(labels(`${pods}vars:\n        HOST: `).includes('<% HOST %>'));
});

test('unknown parts of the schema have no proposals', () => {
  assert.deepEqual(labels('application:\n  pods:\n    - vars:\n        '), []);
  assert.deepEqual(labels('nothing:\n  below:\n    '), []);
});

test('in a Compose file the supported keys of services are proposed', () => {
  const text = 'services:\n  web:\n    image: nginx:1\n    ';
  assert.ok(isComposeText(text) && !isComposeText('application:\n  name: a'));
  const keys = labels(text, composeSchema);
  assert.ok(keys.includes('environment') && keys.includes('depends_on'));
  assert.ok(!keys.includes('image') && !keys.includes('devices'));
  assert.deepEqual(podNamesOf('services:\n  web:\n    image: a\n  db: {}\nvolumes:\n  data:\n'), ['web', 'db']);
});

test('a key can be explained at any place', () => {
  const memory = describedAt(native, ['application', 'pods', '[]', 'resources', 'limits', 'memory'])!;
  assert.match(memory.description!, /^Memory in bytes/);
  assert.equal(typeOf(memory), 'text or number');
  assert.equal(typeOf(describedAt(native, ['application', 'pods', '[]', 'vars'])!), 'map or list');
  assert.equal(describedAt(native, ['application', 'nonsense']), undefined);
});
