import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deploymentOf, pod, resolvedAt, specOf } from '../../../test/support/deployments.ts';
import type { PodSpec } from '../../config/spec/spec.ts';
import { desiredAt } from '../desired.ts';
import { previewUpdate } from './update-preview.ts';

const data = { name: 'data', sizeBytes: 1, mountPath: '/data' };
const web = pod('web', { image: 'nginx:1', path: '/', servicePorts: [80] });
const db = pod('db', { image: 'postgres:15', servicePorts: [5432], volumes: [data], vars: { PASSWORD: 'hunter2' } });

function previewOf(before: PodSpec[], after: PodSpec[], servingRevision: number | null = 1) {
  const running = (number: number, pods: PodSpec[]) => {
    const deployment = deploymentOf({ revision: number, servingRevision });
    const spec = specOf(...pods);
    const desired = desiredAt(deployment, { number, spec }, resolvedAt(0));
    assert.ok(desired.kind === 'running');
    return { spec, desired };
  };
  return previewUpdate(running(1, before), running(2, after));
}

function preview(...requested: Parameters<typeof previewOf>): string[] {
  return previewOf(...requested).pods.map(
    ({ name, change, keepsData, because }) => `${name} ${change}${keepsData ? ', keeps its data' : ''}: ${because}`,
  );
}

test('a pod that the update leaves as it was is unchanged', () => {
  assert.deepEqual(preview([db, web], [db, web]), [
    'db unchanged, keeps its data: nothing changes',
    'web unchanged, keeps its data: nothing changes',
  ]);
});

test('a pod with a volume stops before its next one starts, and finds its data again', () => {
  assert.deepEqual(preview([db, web], [{ ...db, image: 'postgres:16' }, web]), [
    'db restarted, keeps its data: its image (postgres:15 → postgres:16)',
    'web unchanged, keeps its data: nothing changes',
  ]);
});

test('a tag that now means another image is reported', () => {
  const [before, after] = ['a', 'b'].map((digest, at) => {
    const deployment = deploymentOf({ revision: at + 1, servingRevision: 1 });
    const revision = { number: at + 1, spec: specOf(web), images: { 'nginx:1': `nginx@sha256:${digest}` } };
    const desired = desiredAt(deployment, revision, resolvedAt(0));
    assert.ok(desired.kind === 'running');
    return { spec: revision.spec, desired };
  });
  const { pods } = previewUpdate(before!, after!);
  assert.deepEqual(
    pods.map(({ change, because }) => `${change}: ${because}`),
    ['replaced: its image (another nginx:1)'],
  );
});

test('a pod without volumes is replaced by one that is ready first; what it wrote into itself is lost', () => {
  assert.deepEqual(preview([web], [{ ...web, command: ['nginx', '-g', 'daemon off;'], servicePorts: [8080] }]), [
    'web replaced: its command, its ports',
  ]);
});

test('a revision that never served is not kept next to the following one', () => {
  assert.deepEqual(preview([web], [{ ...web, user: 'nginx' }], null), ['web restarted: its user']);
  const container = { shmBytes: 2 ** 26, sysctls: { 'net.core.somaxconn': '1024' } };
  assert.deepEqual(preview([{ ...web, container }], [{ ...web, container: { shmBytes: 2 ** 26 } }], null), [
    'web restarted: its sysctls',
  ]);
});

test('pods come and go; the volume of one that goes stays', () => {
  const worker = pod('worker');
  assert.deepEqual(preview([db, web], [web, worker]), [
    'worker added, keeps its data: it is new',
    'web unchanged, keeps its data: nothing changes',
    'db removed, keeps its data: it is no longer in the configuration',
  ]);
  assert.deepEqual(preview([web, worker], [web]).at(-1), 'worker removed: it is no longer in the configuration');
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

test('variables and files are named without their contents', () => {
  const file = (path: string, content: string) => ({ path, content, isSecret: true });
  const before = { ...web, vars: { A: 'hunter1', B: 'b' }, files: [file('/etc/key', 'hunter3')] };
  const after = { ...web, vars: { A: 'hunter2', C: 'c' }, files: [file('/etc/key', 'hunter4')] };
  const [line] = preview([before], [after]);
  assert.equal(line, 'web replaced: the variables A, B, C, the file /etc/key');
});

test('more replicas leave those that run alone', () => {
  assert.deepEqual(preview([web], [{ ...web, replicas: 3 }]), ['web scaled, keeps its data: 1 → 3 replicas']);
  assert.deepEqual(preview([{ ...web, replicas: 3 }], [web]), ['web scaled, keeps its data: 3 → 1 replicas']);
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

test('a volume that grows, and a public path that moves, are changes, though what runs stays', () => {
  assert.deepEqual(preview([db], [{ ...db, volumes: [{ ...data, sizeBytes: 2 ** 30 }] }]), [
    'db grown, keeps its data: volume data of pod db grows from 1 B to 1 GiB',
  ]);
  assert.deepEqual(preview([web], [{ ...web, path: '/shop' }]), [
    'web rerouted, keeps its data: its public path (/ → /shop)',
  ]);
  assert.deepEqual(preview([{ ...web, path: '/api' }], [{ ...web, path: '/api', stripPrefix: true }]), [
    'web rerouted, keeps its data: its public path (/api → /api, stripPrefix)',
  ]);
  const [line] = preview([db], [{ ...db, user: 'postgres', volumes: [{ ...data, sizeBytes: 2 }] }]);
  assert.equal(line, 'db restarted, keeps its data: its user, volume data of pod db grows from 1 B to 2 B');
});

test('for each volume it is shown whether it stays, begins empty, or is left with its content', () => {
  const other = { name: 'other', sizeBytes: 2, mountPath: '/data' };
  const volumes = (after: PodSpec[]) =>
    previewOf([db, web], after).pods.map(({ name, volumes }) => [
      name,
      ...volumes.map(({ title, change }) => `${title} ${change}`),
    ]);
  assert.deepEqual(volumes([{ ...db, volumes: [other] }, web]), [
    ['db', 'volume other of pod db new', 'volume data of pod db left'],
    ['web'],
  ]);
  assert.deepEqual(volumes([web, { ...web, name: 'two', path: '/two', volumes: [data] }]), [
    ['two', 'volume data of pod two new'],
    ['web'],
    ['db', 'volume data of pod db left'],
  ]);
});

test('public paths that will be unavailable for a while are listed, if they are served now', () => {
  const keeping = { ...web, volumes: [data] };
  const image = 'nginx:2';
  assert.deepEqual(previewOf([keeping], [{ ...keeping, image }]).interrupted, ['/']);
  assert.deepEqual(previewOf([web], [{ ...web, image }]).interrupted, []);
  assert.deepEqual(previewOf([keeping], [{ ...keeping, image }], null).interrupted, [], 'nothing serves');
  assert.deepEqual(previewOf([keeping, db], [db]).interrupted, [], 'it does not come back');
});

const warnings = (before: PodSpec, after: PodSpec) =>
  previewOf([before], [after]).pods.flatMap(({ warnings }) =>
    warnings.map(({ code, message }) => `${code}: ${message}`),
  );

test('a changed password of a database that is there is warned of: its image reads it once', () => {
  const withVars = (vars: Record<string, string>, fields: Partial<PodSpec> = {}) => ({ ...db, ...fields, vars });
  const before = withVars({ POSTGRES_PASSWORD: 'hunter1', POSTGRES_USER: 'shop', TZ: 'UTC' });
  const after = { POSTGRES_PASSWORD: 'hunter2', POSTGRES_USER: 'shop', TZ: 'CET' };
  assert.deepEqual(warnings(before, withVars(after)), [
    'ignored-variable: POSTGRES_PASSWORD is read only when the database is created: the one on its volume keeps the old value',
  ]);
  assert.deepEqual(warnings(before, withVars({ ...before.vars, TZ: 'CET' })), []);
  assert.deepEqual(warnings(before, withVars(after, { volumes: [{ ...data, name: 'new' }] })), [], 'it begins empty');
  assert.deepEqual(warnings(withVars(before.vars, { volumes: [] }), withVars(after, { volumes: [] })), []);
  const mysql = (password: string) => ({ ...db, image: 'mariadb:11', vars: { MARIADB_ROOT_PASSWORD: password } });
  assert.match(warnings(mysql('a'), mysql('b')).join(), /^ignored-variable: MARIADB_ROOT_PASSWORD /);
  const redis = (password: string) => ({ ...db, image: 'redis:7', vars: { REDIS_PASSWORD: password } });
  assert.deepEqual(warnings(redis('a'), redis('b')), []);
});

test('a database that does not start on the data that is there is warned of', () => {
  const image = (image: string, mountPath = '/var/lib/postgresql/data') => ({
    ...db,
    image,
    vars: {},
    volumes: [{ ...data, mountPath }],
  });
  const fails = 'other-database-version: PostgreSQL 16 does not start on the data of PostgreSQL 15';
  assert.deepEqual(warnings(image('postgres:15'), image('postgres:16-alpine')), [fails]);
  assert.deepEqual(warnings(image('postgres:15.2'), image('pgvector/pgvector:pg16')), [fails]);
  assert.deepEqual(warnings(image('postgres:15.2'), image('postgres:15.4')), []);
  assert.deepEqual(warnings(image('postgres:18', '/var/lib/postgresql'), image('postgres:19', '/var/lib/postgresql')), [
    'empty-database: PostgreSQL 19 starts with an empty database, next to the one of PostgreSQL 18',
  ]);
  assert.deepEqual(warnings(image('postgres:15'), image('mysql:8')), [
    'other-database: mysql does not start on the data of postgres',
  ]);
  assert.deepEqual(warnings(image('mysql:8'), image('mariadb:11')), [
    'other-database: mariadb does not start on the data of mysql',
  ]);
  assert.deepEqual(warnings(image('node:24'), image('node:26')), []);
});

test('a volume with a smaller requested size is shown with its present size', () => {
  const sized = (sizeBytes: number) => ({ ...db, volumes: [{ ...data, sizeBytes }] });
  assert.deepEqual(preview([sized(2 ** 31)], [sized(2 ** 30)]), ['db unchanged, keeps its data: nothing changes']);
  assert.match(
    warnings(sized(2 ** 31), sized(2 ** 30)).join(),
    /^volume-not-smaller: volume data of pod db stays at 2 GiB/,
  );
});

test('an image is shown as it is written, not as it was resolved', () => {
  const deployment = deploymentOf({ revision: 1, servingRevision: 1 });
  const revisionOf = (number: number, image: string) => {
    const spec = specOf({ ...web, image });
    const images = { 'nginx:1': 'docker.io/library/nginx@sha256:0123' };
    const desired = desiredAt(deployment, { number, spec, images }, resolvedAt(0));
    assert.ok(desired.kind === 'running');
    return { spec, desired };
  };
  const [change] = previewUpdate(revisionOf(1, 'nginx:1'), revisionOf(2, 'nginx:2')).pods;
  assert.equal(change?.because, 'its image (nginx:1 → nginx:2)');
});
