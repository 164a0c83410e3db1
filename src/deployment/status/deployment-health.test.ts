import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deploymentOf, observedOf, pod, podStatusOf, resolvedAt, specOf } from '../../../test/support/deployments.ts';
import type { Deployment, PodStatus } from '../deployment.ts';
import { desiredAt } from '../desired.ts';
import { statusAt } from './deployment-health.ts';
import { podStatuses } from './deployment-status.ts';

const minute = 60_000;
const running = (...pods: PodStatus[]) => deploymentOf({ state: 'running', servingRevision: 1, pods });

const desired = desiredAt(
  deploymentOf({}),
  { number: 1, spec: specOf(pod('web', { path: '/', image: 'nginx:1', servicePorts: [80] })) },
  resolvedAt(0),
);
assert.ok(desired.kind === 'running');

/** Observes a ready pod several times. Each time it has the given number of restarts, the last one at `endedAt`. */
function looks(...seen: { restarts: number; endedAt: number; isServing?: boolean }[]): PodStatus[] {
  return seen.reduce((before: PodStatus[], { restarts, endedAt, isServing = true }) => {
    const observed = observedOf({ desired, ready: ['web'] });
    const lastExit = { code: 137, reason: 'killed for memory (limit 96 MiB)', at: endedAt };
    const workloads = observed.workloads.map((each) => ({ ...each, restarts, ...(restarts > 0 && { lastExit }) }));
    return podStatuses(desired as never, { ...observed, workloads }, { now: endedAt, before, isServing });
  }, []);
}

test('a pod that is ready at every look and is killed again and again is degraded, and so is its deployment', () => {
  const pods = looks(
    { restarts: 0, endedAt: 0 },
    { restarts: 1, endedAt: minute },
    { restarts: 7, endedAt: 9 * minute },
  );
  const { health, message, pods: shown } = statusAt(running(...pods), 10 * minute);
  assert.deepEqual([health, shown[0]?.state, shown[0]?.restarts], ['degraded', 'degraded', 7]);
  assert.equal(message, 'pod web: keeps restarting: 7 times, last killed for memory (limit 96 MiB)');
});

test('one restart is not too many, and neither are two far from each other', () => {
  assert.equal(
    statusAt(running(...looks({ restarts: 0, endedAt: 0 }, { restarts: 1, endedAt: 1 })), 2).health,
    'running',
  );
  const apart = looks({ restarts: 0, endedAt: 0 }, { restarts: 1, endedAt: 1 }, { restarts: 2, endedAt: 40 * minute });
  assert.equal(statusAt(running(...apart), 41 * minute).health, 'running');
});

test('who has been well for half an hour is not degraded any more, by the clock alone', () => {
  const pods = looks({ restarts: 0, endedAt: 0 }, { restarts: 4, endedAt: 10 * minute });
  const healthAt = (minutes: number) => statusAt(running(...pods), minutes * minute).health;
  assert.deepEqual(
    [healthAt(11), healthAt(39), healthAt(40), healthAt(41)],
    ['degraded', 'degraded', 'running', 'running'],
  );
});

test('who crashes until its database is up has done nothing wrong', () => {
  const pods = looks(
    { restarts: 0, endedAt: 0, isServing: false },
    { restarts: 4, endedAt: 1, isServing: false },
    { restarts: 4, endedAt: 1 },
  );
  assert.equal(statusAt(running(...pods), 2).health, 'running');
});

test('how a deployment does is one word', () => {
  const web = (fields: Partial<PodStatus>) => podStatusOf('web', fields);
  const table: [Partial<Deployment>, string][] = [
    [{ state: 'deploying', pods: [web({ state: 'waiting' })] }, 'deploying'],
    [{ state: 'deploying', revision: 2, servingRevision: 1, pods: [web({})] }, 'deploying'],
    [{ state: 'running', servingRevision: 1, pods: [web({})] }, 'running'],
    [{ state: 'running', servingRevision: 1, pods: [web({ state: 'starting' })] }, 'degraded'],
    [{ state: 'failed', pods: [web({ state: 'failed' })] }, 'failed'],
    [{ state: 'failed', servingRevision: 1, pods: [web({ state: 'failed' })] }, 'failed'],
    [{ state: 'failed', revision: 2, servingRevision: 1, pods: [web({})] }, 'serving'],
    [{ state: 'failed', revision: 2, servingRevision: 1, pods: [web({ restartedAt: [1, 2] })] }, 'serving'],
    [{ state: 'failed', revision: 2, servingRevision: 1, pods: [web({ state: 'failed', revision: 2 })] }, 'serving'],
    // The previous revision has to become ready again first.
    [{ state: 'failed', revision: 2, servingRevision: 1, pods: [web({ state: 'starting' })] }, 'failed'],
    [{ state: 'expired', pods: [] }, 'expired'],
    [{ state: 'running', servingRevision: 1, pods: [web({})], expiresAt: 3 }, 'expired'],
    [{ state: 'running', servingRevision: 1, pods: [web({})], removedAt: 3 }, 'expired'],
  ];
  assert.deepEqual(
    table.map(([fields]) => statusAt(deploymentOf(fields), 3).health),
    table.map(([, health]) => health),
  );
});
