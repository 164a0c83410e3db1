import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deploymentOf } from '../../../test/support/deployments.ts';
import type { Deployment } from '../../deployment/deployment.ts';
import type { ObservedWorkload } from '../../deployment/workload/workload.ts';
import { checkChoice, isChosen, type LogChoice, replacedAmong } from './log-choice.ts';

const workload = (pod: string, revision: number, replica = 0): ObservedWorkload => ({
  name: `${pod}-${revision}-${replica}`,
  pod,
  revision,
  replica,
  fingerprint: '',
  phase: 'running',
  isReady: true,
  restarts: 0,
});
/** An update has replaced `web`; `db` stayed as it was. */
const workloads = [workload('db', 1), workload('web', 1), workload('web', 2), workload('web', 2, 1)];
const updating: Partial<Deployment> = { revision: 2, state: 'running' };

function refusal(choice: LogChoice, deployment: Partial<Deployment> = updating, present = workloads): string {
  const checked = checkChoice(choice, deploymentOf(deployment), { pods: ['db', 'web', 'worker'], workloads: present });
  return checked.ok ? 'none' : `${checked.problem.error} ${checked.problem.hint}`;
}

test('pod and revision choose containers', () => {
  const chosen = (choice: LogChoice) => workloads.filter((each) => isChosen(choice, each)).map(({ name }) => name);
  assert.deepEqual(chosen({}), ['db-1-0', 'web-1-0', 'web-2-0', 'web-2-1']);
  assert.deepEqual(chosen({ pod: 'web' }), ['web-1-0', 'web-2-0', 'web-2-1']);
  assert.deepEqual(chosen({ revision: 1 }), ['db-1-0', 'web-1-0']);
  assert.deepEqual(chosen({ pod: 'web', revision: 2 }), ['web-2-0', 'web-2-1']);
});

test('a replica that a later revision has too is a previous one', () => {
  assert.deepEqual(
    replacedAmong(workloads).map(({ name }) => name),
    ['web-1-0'],
  );
});

test('an unknown pod is refused with the names of those that there are', () => {
  assert.equal(refusal({ pod: 'nobody' }), 'The application has no such pod. Its pods are: db, web, worker.');
  assert.equal(refusal({ pod: 'worker' }), 'none', 'it has not written anything yet');
  const old = refusal({ pod: 'nobody' }, updating, [...workloads, workload('former', 1)]);
  assert.match(old, /db, web, worker, former\.$/);
});

test('an unknown revision is refused with those that have containers', () => {
  const stays = 'an update keeps the containers of unchanged pods.';
  const reported = `The application has no container of revision 7. Containers exist for revision 1, 2; ${stays}`;
  assert.equal(refusal({ revision: 7 }), reported);
  assert.equal(
    refusal({ pod: 'db', revision: 2 }),
    `Pod db has no container of revision 2. Containers exist for revision 1; ${stays}`,
  );
  assert.match(refusal({ pod: 'worker', revision: 2 }), /It has no container now\.$/);
  assert.equal(refusal({ revision: 1 }), 'none');
});

test('the revision that is on its way may have no container yet', () => {
  assert.equal(refusal({ revision: 3 }, { revision: 3, state: 'deploying' }), 'none');
  assert.match(refusal({ revision: 4 }, { revision: 3, state: 'deploying' }), /no container of revision 4/);
});

test('of a revision that has failed and is cleared away the status has the last lines', () => {
  const failed: Partial<Deployment> = { revision: 3, state: 'failed', lastLines: ['no table'] };
  assert.match(refusal({ revision: 3 }, failed), /The last lines of the pod that failed are in the status\.$/);
});
