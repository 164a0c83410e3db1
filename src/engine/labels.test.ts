import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Readiness, Workload } from '../deployment/workload/workload.ts';
import { deploymentLabels, isOwnedBy, labelSelector, readWorkloadLabels, workloadLabels } from './labels.ts';

const readiness: fc.Arbitrary<Readiness> = fc.oneof(
  fc.constant({ kind: 'exit' as const }),
  fc.constant({ kind: 'running' as const }),
  fc.constant({ kind: 'running' as const, ignoresImage: true as const }),
  fc.record({ kind: fc.constant('port' as const), port: fc.nat(65_535) }, { noNullPrototype: true }),
  fc.record(
    {
      kind: fc.constant('command' as const),
      command: fc.array(fc.string()),
      initialDelaySeconds: fc.nat(),
      periodSeconds: fc.nat(),
      timeoutSeconds: fc.nat(),
      failureThreshold: fc.nat(),
    },
    { noNullPrototype: true },
  ),
  fc.record(
    {
      kind: fc.constant('http' as const),
      path: fc.string(),
      port: fc.nat(65_535),
      initialDelaySeconds: fc.nat(),
      periodSeconds: fc.nat(),
      timeoutSeconds: fc.nat(),
      failureThreshold: fc.nat(),
    },
    { noNullPrototype: true },
  ),
);

test('what is written on a workload can be read from it', () => {
  const written = fc.record({
    pod: fc.string({ minLength: 1 }),
    revision: fc.nat(),
    replica: fc.nat(),
    fingerprint: fc.string(),
    readiness,
  });
  fc.assert(
    fc.property(written, (workload) => {
      const labels = workloadLabels('owner', 'deployment', workload as Workload, '10.200.0.2');
      const read = readWorkloadLabels(labels);
      assert.deepEqual(read, { ...workload, deploymentId: 'deployment', address: '10.200.0.2' });
    }),
  );
});

test('labels of a network are not those of a workload', () => {
  assert.equal(readWorkloadLabels(deploymentLabels('owner', 'deployment')), undefined);
});

test('a damaged readiness counts as running', () => {
  const labels = { ...deploymentLabels('owner', 'deployment'), 'berth.pod': 'web', 'berth.readiness': '{' };
  assert.deepEqual(readWorkloadLabels(labels)?.readiness, { kind: 'running' });
});

test('only the label of the installation makes a thing ours', () => {
  assert.ok(isOwnedBy('me', deploymentLabels('me', 'x')));
  assert.ok(!isOwnedBy('me', deploymentLabels('you', 'x')));
  assert.ok(!isOwnedBy('me', null));
  assert.deepEqual(labelSelector('me'), ['berth.owner=me']);
  assert.deepEqual(labelSelector('me', 'x'), ['berth.owner=me', 'berth.deployment=x']);
});
