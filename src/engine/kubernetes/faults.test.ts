import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineFault } from '../engine.ts';
import { ClusterRefusal, clusterUnresponsive, faultOf } from './faults.ts';

const refusal = (status: number, message: string) => new ClusterRefusal(status, JSON.stringify({ message }));

const reported = (error: unknown, pod?: string) => {
  const fault = faultOf(error, pod);
  assert.ok(fault instanceof EngineFault);
  return [fault.kind, fault.message];
};

test('what the cluster refuses for good is a bad request, in its words without its own names', () => {
  const message =
    'Deployment.apps "web-1-0" is invalid: spec.template.spec.containers[0].env[0].name: Invalid value: "a b"';
  assert.deepEqual(reported(refusal(422, message), 'web'), [
    'bad-request',
    'the cluster refuses it: spec.template.spec.containers[0].env[0].name: Invalid value: "a b"',
  ]);
});

test('what it cannot do now is tried again: conflicts, too many requests, failures of its own, a namespace on its way out', () => {
  for (const status of [404, 409, 429, 500, 503, 504]) assert.equal(reported(refusal(status, 'x'))[0], 'unavailable');
  const leaving =
    'deployments.apps "web" is forbidden: unable to create new content in namespace berth-x because it is being terminated';
  assert.match(String(reported(refusal(403, leaving))[1]), /still being removed/);
  assert.match(
    String(reported(refusal(403, 'pods is forbidden: User "x" cannot'))[1]),
    /does not permit this operation to Berth/,
  );
  // A proxy in front of the cluster may respond in another format.
  assert.equal(reported(new ClusterRefusal(502, '<html>bad gateway</html>'))[0], 'unavailable');
});

test('a cluster that does not answer is unavailable, and a mistake of ours stays one', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  assert.deepEqual(reported(refused), ['unavailable', clusterUnresponsive]);
  assert.deepEqual(reported(AbortSignal.timeout(0).reason ?? new DOMException('late', 'TimeoutError')), [
    'unavailable',
    clusterUnresponsive,
  ]);
  const bug = new TypeError('undefined is not a function');
  assert.equal(faultOf(bug), bug);
});
