import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { deploymentOf, pod, resolvedAt, specOf, url } from '../../test/support/deployments.ts';
import type { PodSpec } from '../config/spec/spec.ts';
import { deploymentStates } from './deployment.ts';
import { hostLabel, newEnvironment } from './deployment-names.ts';
import { desiredAt } from './desired.ts';
import { startOrder } from './plan/start-order.ts';
import { nextState } from './status/lifecycle.ts';

function workloadsOf(...pods: PodSpec[]) {
  const desired = desiredAt(deploymentOf({}), { number: 1, spec: specOf(...pods) }, resolvedAt(0));
  assert.ok(desired.kind === 'running');
  return desired;
}

test("scriptlets become the deployment's own address in variables, commands and files", () => {
  const [web] = workloadsOf(
    pod('web', {
      vars: { API: '<% URL %>/api', HOST: '<%DOMAIN%>' },
      command: ['run', '<%  URL %>'],
      files: [{ path: '/a', content: `at <% URL %>, \${NOT} touched`, isSecret: false }],
    }),
  ).workloads;
  assert.deepEqual(web!.workload.env, { API: `${url.origin}/api`, HOST: url.host });
  assert.deepEqual(web!.workload.command, ['run', url.origin]);
  assert.equal(web!.workload.files[0]!.content, `at ${url.origin}, \${NOT} touched`);
});

test('the registry scriptlet becomes the registry of the login', () => {
  const spec = {
    ...specOf(pod('web', { image: '<% REGISTRY %>/org/app:1' })),
    registryLogin: { registry: 'ghcr.io', username: 'u', personalAccessToken: 't' },
  };
  const desired = desiredAt(deploymentOf({}), { number: 1, spec }, resolvedAt(0));
  assert.equal(desired.kind === 'running' && desired.workloads[0]!.workload.image, 'ghcr.io/org/app:1');
});

test('the fingerprint depends on the content, not the revision', () => {
  const fingerprint = (number: number, image: string) => {
    const desired = desiredAt(deploymentOf({}), { number, spec: specOf(pod('web', { image })) }, resolvedAt(0));
    return desired.kind === 'running' && desired.workloads[0]!.workload.fingerprint;
  };
  assert.equal(fingerprint(1, 'nginx:1'), fingerprint(2, 'nginx:1'));
  assert.notEqual(fingerprint(1, 'nginx:1'), fingerprint(1, 'nginx:2'));
});

test('the plan’s runtime is set for each pod, and another plan restarts none of them', () => {
  const of = (runtime: 'runsc' | undefined) => {
    const resolution = { ...resolvedAt(0), runtime };
    const desired = desiredAt(deploymentOf({}), { number: 1, spec: specOf(pod('web'), pod('db')) }, resolution);
    assert.ok(desired.kind === 'running');
    return desired.workloads.map(({ workload }) => workload);
  };
  assert.deepEqual(
    of('runsc').map(({ runtime }) => runtime),
    ['runsc', 'runsc'],
  );
  const fingerprints = (runtime: 'runsc' | undefined) => of(runtime).map(({ fingerprint }) => fingerprint);
  assert.deepEqual(fingerprints('runsc'), fingerprints(undefined));
});

test('each replica of a statefulset has a name and volumes of its own; other replicas share theirs', () => {
  const volumes = [{ name: 'data', sizeBytes: 1, mountPath: '/data' }];
  const stateful = workloadsOf(pod('db', { resourceType: 'statefulset', replicas: 2, volumes }));
  assert.deepEqual(stateful.volumes, [
    { volume: 'db-data', sizeBytes: 1, title: 'volume data of pod db' },
    { volume: 'db-1-data', sizeBytes: 1, title: 'volume data of pod db-1' },
  ]);
  assert.ok(stateful.workloads[1]!.workload.aliases.includes('db-1.pod'));
  assert.deepEqual(
    stateful.workloads.map(({ workload }) => workload.hostname),
    ['db-0', 'db-1'],
  );
  const long = workloadsOf(pod('a'.repeat(63), { resourceType: 'statefulset', replicas: 2 }));
  assert.equal(long.workloads[1]!.workload.hostname, `${'a'.repeat(61)}-1`);
  const web = workloadsOf(pod('web', { replicas: 2, volumes }));
  assert.deepEqual(
    [web.volumes.map(({ volume }) => volume), web.workloads[1]!.workload.hostname],
    [['web-data'], undefined],
  );
});

test('a shared volume is one volume for all pods that name it, of any type', () => {
  const volumes = [{ name: 'media', sizeBytes: 1, mountPath: '/media', isShared: true }];
  const { workloads, volumes: found } = workloadsOf(
    pod('web', { volumes: [{ ...volumes[0]!, sizeBytes: 2 }] }),
    pod('worker', { resourceType: 'statefulset', replicas: 2, volumes }),
  );
  assert.deepEqual(found, [{ volume: 'shared.media', sizeBytes: 2, title: 'volume media' }]);
  assert.ok(workloads.every(({ workload }) => workload.volumes[0]!.volume === 'shared.media'));
});

test("further names, the user and the directory are the workload's", () => {
  const [named] = workloadsOf(pod('my-db', { aliases: ['my_db'], user: '1000:1000', workingDir: '/srv' })).workloads;
  const { aliases, user, workingDir } = named!.workload;
  assert.ok(aliases.includes('my_db') && aliases.includes('my-db.pod'));
  assert.deepEqual([user, workingDir], ['1000:1000', '/srv']);
});

test('a pod is ready by its health check, else by its first port, else by running; a job by its end', () => {
  const healthCheck = {
    path: '/',
    port: 1,
    initialDelaySeconds: 0,
    periodSeconds: 1,
    timeoutSeconds: 1,
    failureThreshold: 1,
  };
  const kinds = workloadsOf(
    pod('a', { healthCheck, servicePorts: [1] }),
    pod('b', { servicePorts: [80, 81] }),
    pod('c'),
    pod('d', { resourceType: 'job', servicePorts: [80] }),
  ).workloads.map(({ workload }) => `${workload.pod} ${workload.readiness.kind}`);
  assert.deepEqual(kinds.toSorted(), ['a http', 'b port', 'c running', 'd exit']);
});

test('a command is used with its scriptlets replaced; without a check the port is used, and not the image’s check', () => {
  const times = { initialDelaySeconds: 0, periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 1 };
  const readiness = workloadsOf(
    pod('a', { healthCheck: { command: ['check', '<% URL %>'], ...times }, servicePorts: [1] }),
    pod('b', { healthCheck: { disabled: true }, servicePorts: [80] }),
    pod('c', { healthCheck: { disabled: true } }),
  ).workloads.map(({ workload }) => workload.readiness);
  assert.deepEqual(readiness, [
    { kind: 'command', command: ['check', url.origin], ...times },
    { kind: 'port', port: 80, ignoresImage: true },
    { kind: 'running', ignoresImage: true },
  ]);
});

test('pods start after those that they name, databases first', () => {
  const web = pod('web', { path: '/', vars: { API: 'http://api.pod:3000' } });
  const api = pod('api', { path: '/api', vars: { DB: 'postgres://db.pod/x' }, dependsOn: ['cache'] });
  const db = pod('db', { volumes: [{ name: 'data', sizeBytes: 1, mountPath: '/data' }] });
  const cache = pod('cache');
  assert.deepEqual(
    startOrder(specOf(web, api, cache, db)).map(({ name }) => name),
    ['db', 'cache', 'api', 'web'],
  );
});

test('a bare host name, an alias and an entrypoint say who starts first, as the full name does', () => {
  const order = (...pods: Parameters<typeof specOf>) => startOrder(specOf(...pods)).map(({ name }) => name);
  const db = pod('db', { servicePorts: [5432], aliases: ['database'] });
  const api = (fields: Parameters<typeof pod>[1]) => pod('api', { ...fields, volumes });
  const volumes = [{ name: 'data', sizeBytes: 1, mountPath: '/data' }];
  assert.deepEqual(order(api({ vars: { DB_HOST: 'db' } }), db), ['db', 'api']);
  assert.deepEqual(order(api({ vars: { URL: 'postgres://u:p@database/x' } }), db), ['db', 'api']);
  assert.deepEqual(order(api({ entrypoint: ['wait-for', 'db:5432'] }), db), ['db', 'api']);
  assert.deepEqual(order(api({ vars: { NAME: 'db' } }), db), ['api', 'db']);
});

test('pods that name each other start in the order of their speed, and dependsOn is heeded all the same', () => {
  const volumes = [{ name: 'data', sizeBytes: 1, mountPath: '/data' }];
  const web = (fields: Parameters<typeof pod>[1]) =>
    pod('web', { path: '/', vars: { API: 'http://api:3000' }, ...fields });
  const api = (fields: Parameters<typeof pod>[1]) =>
    pod('api', { volumes, vars: { FRONTEND: 'http://web:80' }, ...fields });
  const order = (...pods: Parameters<typeof specOf>) => startOrder(specOf(...pods)).map(({ name }) => name);
  assert.deepEqual(order(web({}), api({})), ['api', 'web']);
  assert.deepEqual(order(web({ dependsOn: ['api'] }), api({})), ['api', 'web']);
  assert.deepEqual(order(web({}), api({ dependsOn: ['web'] })), ['web', 'api']);
});

test('every pod starts exactly once, with any references', () => {
  const names = ['aa', 'bb', 'cc', 'dd'];
  const pods = fc.tuple(
    ...names.map((name) =>
      fc.subarray(names).map((to) => pod(name, { vars: { TO: to.map((n) => `${n}.pod`).join(' ') } })),
    ),
  );
  fc.assert(
    fc.property(pods, (some) => {
      assert.deepEqual(
        startOrder(specOf(...some))
          .map(({ name }) => name)
          .toSorted(),
        names,
      );
    }),
  );
});

test('a host is one DNS label, and two long names with the same beginning differ', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z][a-z0-9.-]{1,62}[a-z0-9]$/), (name) => {
      assert.match(hostLabel(newEnvironment(), name), /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
    }),
  );
  const long = 'a'.repeat(60);
  assert.notEqual(hostLabel('jolly-tapir', `${long}x`), hostLabel('jolly-tapir', `${long}y`));
});

test('the states follow the table of the lifecycle, and nothing revives an expired deployment', () => {
  const triggers = ['updated', 'ready', 'given-up', 'ended'] as const;
  const table = deploymentStates.map((state) => triggers.map((trigger) => nextState(state, trigger)).join(' '));
  assert.deepEqual(table, [
    'deploying running failed expired',
    'deploying running failed expired',
    'deploying running failed expired',
    'expired expired expired expired',
  ]);
});

test('a pod that restarts with another is a new workload when that one is, and when that one is restarted', () => {
  const of = (db: Partial<PodSpec>, restarts = {}) => {
    const spec = specOf(
      pod('web', { dependsOn: ['db'], restartsWith: ['db'] }),
      pod('other', { dependsOn: ['db'] }),
      pod('db', db),
    );
    const desired = desiredAt(deploymentOf({ restarts }), { number: 1, spec }, resolvedAt(0));
    assert.ok(desired.kind === 'running');
    return new Map(desired.workloads.map(({ workload }) => [workload.pod, workload.fingerprint]));
  };
  const first = of({});
  for (const later of [of({ vars: { A: '1' } }), of({}, { db: 1 })]) {
    assert.notEqual(later.get('db'), first.get('db'));
    assert.notEqual(later.get('web'), first.get('web'));
    assert.equal(later.get('other'), first.get('other'));
  }
  assert.deepEqual(of({}), first);
});
