import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deploymentOf, pod, resolvedAt, specOf } from '../../../test/support/deployments.ts';
import { sealWith } from '../../lib/seal.ts';
import { desiredAt } from '../desired.ts';
import { generatedValue } from './derived-secrets.ts';

const { derive } = sealWith('a secret of the tests');

function envOf(revision: number, key = derive) {
  const spec = specOf(
    pod('web', { vars: { DATABASE_URL: 'postgres://u:<% SECRET DB_PASSWORD %>@db.pod/x' } }),
    pod('db', { vars: { POSTGRES_PASSWORD: '<% SECRET DB_PASSWORD %>', KEY: '<% SECRET JWT_KEY %>' } }),
  );
  const desired = desiredAt(deploymentOf({}), { number: revision, spec }, { ...resolvedAt(0), derive: key });
  assert.ok(desired.kind === 'running');
  return Object.fromEntries(desired.workloads.map(({ workload }) => [workload.pod, workload.env]));
}

test('a generated password is the same in all pods and after an update', () => {
  const { web, db } = envOf(1);
  assert.equal(web!.DATABASE_URL, `postgres://u:${db!.POSTGRES_PASSWORD}@db.pod/x`);
  assert.deepEqual(envOf(2), { web, db });
});

test('another name and another seed have other values', () => {
  const { db } = envOf(1);
  assert.notEqual(envOf(1, sealWith('other').derive).db!.POSTGRES_PASSWORD, db!.POSTGRES_PASSWORD);
  assert.notEqual(generatedValue('A_PASSWORD', derive), generatedValue('B_PASSWORD', derive));
});

test('passwords fit into an address and satisfy strict databases; keys are 64 hexadecimal digits', () => {
  for (const name of ['DB_PASSWORD', 'MYSQL_PASS', 'API_TOKEN']) {
    assert.match(generatedValue(name, derive), /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z0-9]{32}$/);
  }
  for (const name of ['JWT_SECRET', 'ENCRYPTION_KEY', 'SALT']) {
    assert.match(generatedValue(name, derive), /^[0-9a-f]{64}$/);
  }
});

test('without a key to derive it from, no value is made up', () => {
  const spec = specOf(pod('web', { vars: { A: '<% SECRET A_KEY %>' } }));
  assert.throws(
    () => desiredAt(deploymentOf({}), { number: 1, spec }, resolvedAt(0)),
    /key to derive it from is missing/,
  );
});

test('an older name that another pod really has leads to that pod alone', () => {
  const desired = desiredAt(deploymentOf({}), { number: 1, spec: specOf(pod('db'), pod('shop-db')) }, resolvedAt(0));
  assert.ok(desired.kind === 'running');
  const aliases = new Map(desired.workloads.map(({ workload }) => [workload.pod, workload.aliases]));
  assert.ok(!aliases.get('db')!.includes('shop-db.pod'));
  assert.ok(aliases.get('shop-db')!.includes('shop-db.pod'));
  assert.ok(aliases.get('db')!.includes('db-shop.pod'));
});

test('jobs have no route, and a pod of a subdomain leaves the host to the others', () => {
  const routesOf = (...pods: ReturnType<typeof pod>[]) => {
    const desired = desiredAt(deploymentOf({}), { number: 1, spec: specOf(...pods) }, resolvedAt(0));
    return desired.kind === 'running'
      ? desired.workloads.flatMap(({ path, workload }) => (path ? workload.pod : []))
      : [];
  };
  assert.deepEqual(routesOf(pod('seed', { path: '/', resourceType: 'job' })), []);
  const admin = pod('admin', { path: '/', subdomain: 'admin' });
  assert.deepEqual(routesOf(pod('web', { path: '/' }), admin), ['web']);
  assert.deepEqual(routesOf(admin, pod('web', { path: '/api' })).sort(), ['admin', 'web']);
});
