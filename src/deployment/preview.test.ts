import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodSpec } from '../config/spec.ts';
import { desiredAt } from './desired.ts';
import { previewUpdate } from './preview.ts';
import { deploymentOf, pod, resolvedAt, specOf } from './testing.ts';

const data = { name: 'data', sizeBytes: 1, mountPath: '/data' };
const web = pod('web', { image: 'nginx:1', path: '/', servicePorts: [80] });
const db = pod('db', { image: 'postgres:15', servicePorts: [5432], volumes: [data], vars: { PASSWORD: 'hunter2' } });

function preview(before: PodSpec[], after: PodSpec[], servingRevision: number | null = 1): string[] {
  const running = (number: number, pods: PodSpec[]) => {
    const deployment = deploymentOf({ revision: number, servingRevision });
    const desired = desiredAt(deployment, { number, spec: specOf(...pods) }, resolvedAt(0));
    assert.ok(desired.kind === 'running');
    return desired;
  };
  return previewUpdate(running(1, before), running(2, after)).map(
    ({ name, change, keepsData, because }) => `${name} ${change}${keepsData ? ', keeps its data' : ''}: ${because}`,
  );
}

test('a pod that the update leaves as it was is unchanged', () => {
  assert.deepEqual(preview([db, web], [db, web]), [
    'db unchanged, keeps its data: nothing of it changes',
    'web unchanged, keeps its data: nothing of it changes',
  ]);
});

test('a pod with a volume stops before its next one starts, and finds its data again', () => {
  assert.deepEqual(preview([db, web], [{ ...db, image: 'postgres:16' }, web]), [
    'db restarted, keeps its data: its image (postgres:15 → postgres:16)',
    'web unchanged, keeps its data: nothing of it changes',
  ]);
});

test('a pod without volumes is replaced by one that is ready first; what it wrote into itself is lost', () => {
  assert.deepEqual(preview([web], [{ ...web, command: ['nginx', '-g', 'daemon off;'], servicePorts: [8080] }]), [
    'web replaced: its command, its ports',
  ]);
});

test('what has never served is not kept beside its next one', () => {
  assert.deepEqual(preview([web], [{ ...web, user: 'nginx' }], null), ['web restarted: its user']);
});

test('pods come and go; the volume of one that goes stays', () => {
  const worker = pod('worker');
  assert.deepEqual(preview([db, web], [web, worker]), [
    'worker added, keeps its data: it is new',
    'web unchanged, keeps its data: nothing of it changes',
    'db removed, keeps its data: the configuration no longer has it',
  ]);
  assert.deepEqual(preview([web, worker], [web]).at(-1), 'worker removed: the configuration no longer has it');
});

test('a volume of another name is an empty one', () => {
  const [line] = preview([db], [{ ...db, volumes: [{ ...data, name: 'other' }] }]);
  assert.equal(line, 'db restarted: its volumes');
});

test('of two volumes, one that is gone is data that is lost', () => {
  const both = { ...db, volumes: [data, { ...data, name: 'log', mountPath: '/log' }] };
  assert.deepEqual(preview([both], [db]), ['db restarted: its volumes']);
  assert.deepEqual(preview([db], [both]), ['db restarted, keeps its data: its volumes']);
});

test('variables and files are named, and what they hold is not told', () => {
  const file = (path: string, content: string) => ({ path, content, isSecret: true });
  const before = { ...web, vars: { A: 'hunter1', B: 'b' }, files: [file('/etc/key', 'hunter3')] };
  const after = { ...web, vars: { A: 'hunter2', C: 'c' }, files: [file('/etc/key', 'hunter4')] };
  const [line] = preview([before], [after]);
  assert.equal(line, 'web replaced: the variables A, B, C, the file /etc/key');
});

test('more replicas leave those that run alone', () => {
  assert.deepEqual(preview([web], [{ ...web, replicas: 3 }]), ['web unchanged, keeps its data: 1 → 3 replicas']);
  assert.deepEqual(preview([{ ...web, replicas: 3 }], [web]), ['web unchanged, keeps its data: 3 → 1 replicas']);
});

test('a change that pods wait for each other in is played to its end', () => {
  const api = pod('api', { dependsOn: ['db'], servicePorts: [3000] });
  const page = { ...web, dependsOn: ['api'] };
  const after = [
    { ...db, vars: {} },
    { ...api, user: 'node' },
    { ...page, user: 'nginx' },
  ];
  assert.deepEqual(
    preview([db, api, page], after).map((line) => line.split(':')[0]),
    ['db restarted, keeps its data', 'api replaced', 'web replaced'],
  );
});
