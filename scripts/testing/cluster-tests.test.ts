import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterTests } from './cluster-tests.ts';

const files = ['src/one.test.ts', 'test/kubernetes/engine.test.ts'];

test('tests that need a cluster run if one is named, and are reported otherwise', () => {
  assert.deepEqual(clusterTests(files, { BERTH_TEST_KUBERNETES: '1', KUBECONFIG: '/etc/kube' }), { files, last: [] });
  for (const environment of [{}, { KUBECONFIG: '/etc/kube' }, { BERTH_TEST_KUBERNETES: '1' }]) {
    const { files: run, leftOut } = clusterTests(files, environment);
    assert.deepEqual(run, ['src/one.test.ts']);
    assert.match(leftOut ?? '', /^Not run: test\/kubernetes\/engine\.test\.ts\. They need BERTH_TEST_KUBERNETES=1/);
  }
});

test('scenarios for a cluster run if one is named', () => {
  const scenario = ['test/scenarios/sessions.test.ts'];
  const engine = { TEST_ENGINE: 'kubernetes' };
  assert.deepEqual(clusterTests(scenario, {}), { files: scenario, last: [] });
  assert.match(clusterTests(scenario, engine).leftOut ?? '', /^Not run: test\/scenarios\/sessions\.test\.ts\./);
  const wanted = { ...engine, BERTH_TEST_KUBERNETES: '1', KUBECONFIG: '/etc/kube' };
  assert.deepEqual(clusterTests(scenario, wanted), { files: scenario, last: [] });
});

test('tests for a cluster that were not requested are not reported', () => {
  assert.deepEqual(clusterTests(['src/one.test.ts'], {}), { files: ['src/one.test.ts'], last: [] });
});

test('tests that break the cluster run last', () => {
  const fleet = 'test/kubernetes/disruptions/fleet.test.ts';
  const environment = { BERTH_TEST_KUBERNETES: '1', KUBECONFIG: '/etc/kube' };
  assert.deepEqual(clusterTests([fleet, ...files], environment), { files, last: [fleet] });
});
