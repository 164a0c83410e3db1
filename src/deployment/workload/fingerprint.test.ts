import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import { deploymentOf, pod, resolvedAt, specOf } from '../../../test/support/deployments.ts';
import { readSpec } from '../../config/spec/spec.ts';
import { desiredAt } from '../desired.ts';
import { fingerprintOf, type WorkloadContent } from './workload.ts';

const golden = new URL('../../../test/golden/', import.meta.url);
const readGolden = (name: string) => readFile(new URL(name, golden), 'utf8');

function contentOf(fields: Parameters<typeof pod>[1] = {}): WorkloadContent {
  const desired = desiredAt(deploymentOf({}), { number: 1, spec: specOf(pod('web', fields)) }, resolvedAt(0));
  assert.ok(desired.kind === 'running');
  const { name, revision, fingerprint, ...content } = desired.workloads[0]!.workload;
  return content;
}

test('the fingerprints of a release stay what they are: containers carry them', async () => {
  const spec = readSpec(await readGolden('spec-v1.json'));
  const derive = () => Buffer.alloc(32, 1);
  const desired = desiredAt(deploymentOf({}), { number: 1, spec }, { ...resolvedAt(0), derive });
  assert.ok(desired.kind === 'running');
  const fingerprints = Object.fromEntries(
    desired.workloads.map(({ workload }) => [workload.name, workload.fingerprint]),
  );
  assert.deepEqual(fingerprints, JSON.parse(await readGolden('fingerprints.json')));
});

test('the order in which fields and variables are written makes no other workload', () => {
  const vars = fc.dictionary(fc.string(), fc.string());
  fc.assert(
    fc.property(vars, (env) => {
      const reversed = Object.fromEntries(Object.entries(env).reverse());
      const content = contentOf();
      const other = Object.fromEntries(Object.entries({ ...content, env: reversed }).reverse()) as WorkloadContent;
      assert.equal(fingerprintOf({ ...content, env }), fingerprintOf(other));
    }),
  );
});

test('what is different has another fingerprint, also in what no Unicode text can hold', () => {
  const fingerprints = ['a', 'b', '\ud800', '\ud801', ''].map((value) => fingerprintOf(contentOf({ vars: { value } })));
  assert.equal(new Set(fingerprints).size, fingerprints.length);
});

test('an unset field changes nothing', () => {
  const content = { ...contentOf(), shmBytes: undefined } as WorkloadContent;
  assert.equal(fingerprintOf(content), fingerprintOf(contentOf()));
});
