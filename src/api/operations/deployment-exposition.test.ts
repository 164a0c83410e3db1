import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTurns } from '../../../test/support/count-turns.ts';
import { type DeploymentTotals, siteValues } from '../../deployment/metrics/deployment-metrics.ts';
import { noRequests } from '../../deployment/metrics/use.ts';
import { exposeDeployments } from './deployment-exposition.ts';

const totals = Array.from(
  { length: 1_000 },
  (_, index): DeploymentTotals => ({
    deploymentId: `d${index}`,
    volumes: [],
    requests: noRequests,
    site: siteValues(noRequests, 1),
    uses: [
      {
        deploymentId: `d${index}`,
        pod: 'web',
        revision: 1,
        replica: 0,
        startedAt: 0,
        cpuMs: index,
        memoryBytes: 1,
        receivedBytes: 0,
        sentBytes: 0,
      },
    ],
  }),
);
const namesOf = async (ids: string[]) =>
  ids.filter((id) => id !== 'd7').map((id) => ({ id, applicationName: 'a#b', environment: 'e' }));

test('thousands of deployments are written in parts, each metric once with the samples of all', async () => {
  const turns = countTurns();
  const { text } = await exposeDeployments(totals, namesOf);
  assert.ok(turns.end() >= 10);
  const lines = [...text].join('').split('\n');
  const samples = (name: string) => lines.filter((line) => line.startsWith(`${name}{`)).length;
  assert.deepEqual([samples('berth_pod_memory_bytes'), samples('berth_site_errors_total')], [999, 1_998]);
  const comments = lines.filter((line) => line.startsWith('#'));
  assert.equal(new Set(comments).size, comments.length);
  const at = lines.indexOf('# TYPE berth_pod_memory_bytes gauge');
  assert.ok(lines.slice(at + 1, at + 1_000).every((line) => line.startsWith('berth_pod_memory_bytes{')));
  assert.ok(!lines.slice(0, -1).includes(''));
});

test('without any deployment the metrics are named all the same', async () => {
  const { text } = await exposeDeployments([], namesOf);
  assert.match([...text].join(''), /# TYPE berth_site_requests_total counter/);
});
