import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { parseConfiguration } from '../parse.ts';
import type { AppSpec } from '../spec/spec.ts';
import { exportKubernetes } from './kubernetes.ts';

const shop = `application:
  name: shop
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: sh -c "echo $(date); exec node server.js"
      vars: { DATABASE_URL: "postgres://app:tr0ub4dor&3@db.pod:5432/app", PUBLIC_URL: <% URL %>, MODE: "a" }
      files:
        - { path: /etc/app.conf, content: "host = db.pod\\n" }
        - { path: /etc/secret.conf, content: "password = tr0ub4dor&3\\n" }
      secrets: [{ name: key, data: "-----KEY-----", fileName: key.pem, mountPath: /run }]
      healthCheck: { path: /healthz }
      user: "1000"
      replicas: 2
      resources: { limits: { cpu: 500m, memory: 256Mi } }
    - name: db
      image: postgres:15
      servicePorts: [5432]
      vars: { POSTGRES_PASSWORD: "tr0ub4dor&3" }
      volumes: [{ name: data, size: 2Gi, mountPath: /var/lib/postgresql/data }]
    - { name: migrate, image: "node:26-slim", resourceType: job, command: "node migrate.js" }
`;

const { spec } = parseConfiguration(shop) as { spec: AppSpec };

// biome-ignore lint/suspicious/noExplicitAny: what a manifest is, the assertions say
type Manifest = any;

function manifests(withSecrets: boolean) {
  const { text, notes } = exportKubernetes(spec, { withSecrets, host: 'shop.example.com' });
  const all: Manifest[] = parseAllDocuments(text).map((document) => document.toJS());
  const find = (kind: string, name: string) => all.find((each) => each.kind === kind && each.metadata.name === name);
  return { all, find, text, notes };
}

test('each pod becomes its workload with a Service, and a public path a rule of the Ingress', () => {
  const { all, find } = manifests(true);
  assert.deepEqual(
    all.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    [
      ...['ConfigMap web-files', 'Secret web-secrets', 'Service web', 'Deployment web'],
      ...['Secret db-secrets', 'PersistentVolumeClaim db-data', 'Service db', 'Deployment db'],
      ...['Job migrate', 'Ingress shop'],
    ],
  );
  const { spec: web } = find('Deployment', 'web');
  assert.equal(web.replicas, 2);
  assert.deepEqual(web.template.metadata.labels, find('Service', 'web').spec.selector);
  const [container] = web.template.spec.containers;
  assert.deepEqual(container.resources, { limits: { cpu: '500m', memory: String(256 * 2 ** 20) } });
  assert.deepEqual(container.readinessProbe.httpGet, { path: '/healthz', port: 3000 });
  assert.deepEqual(web.template.spec.securityContext, { runAsUser: 1000 });
  assert.equal(find('Deployment', 'db').spec.strategy.type, 'Recreate');
  const [rule] = find('Ingress', 'shop').spec.rules;
  assert.equal(rule.host, 'shop.example.com');
  assert.deepEqual(rule.http.paths[0].backend.service, { name: 'web', port: { number: 3000 } });
});

test('everything that a workload names is there', () => {
  const { all, find } = manifests(false);
  for (const { spec } of all.filter(({ kind }) => kind === 'Deployment' || kind === 'Job')) {
    const { volumes = [], containers } = spec.template.spec;
    const names = volumes.map(({ name }: Manifest) => name);
    for (const { configMap, secret, persistentVolumeClaim } of volumes) {
      if (configMap) assert.ok(find('ConfigMap', configMap.name));
      if (secret) assert.ok(find('Secret', secret.secretName));
      if (persistentVolumeClaim) assert.ok(find('PersistentVolumeClaim', persistentVolumeClaim.claimName));
    }
    for (const { env = [], volumeMounts = [] } of containers) {
      for (const { name } of volumeMounts) assert.ok(names.includes(name), name);
      for (const { name, valueFrom } of env) {
        if (valueFrom) assert.ok(name in find('Secret', valueFrom.secretKeyRef.name).stringData, name);
      }
    }
  }
});

test('secrets are only in Secrets, and only on request', () => {
  const { text, find, notes } = manifests(false);
  assert.doesNotMatch(text, /tr0ub4dor|-----KEY-----/);
  assert.match(notes[0]!, /REPLACE-ME/);
  const { all, find: findWhole } = manifests(true);
  const others = all.filter(({ kind }) => kind !== 'Secret');
  assert.doesNotMatch(JSON.stringify(others), /tr0ub4dor|-----KEY-----/);
  assert.equal(findWhole('Secret', 'db-secrets').stringData.POSTGRES_PASSWORD, 'tr0ub4dor&3');
  assert.equal(find('Secret', 'web-secrets').stringData.DATABASE_URL, 'postgres://app:REPLACE-ME@db:5432/app');
});

test('addresses are those of Services, and what Kubernetes would replace is escaped', () => {
  const { find } = manifests(true);
  assert.equal(find('ConfigMap', 'web-files').data['file-2'], 'host = db\n');
  const [{ env, args }] = find('Deployment', 'web').spec.template.spec.containers;
  assert.deepEqual(
    env.find(({ name }: Manifest) => name === 'PUBLIC_URL'),
    { name: 'PUBLIC_URL', value: 'https://shop.example.com' },
  );
  assert.equal(args.at(-1), 'echo $$(date); exec node server.js');
});

test('a note names the pods whose route options are left out', () => {
  const pods = spec.pods.map((pod) => (pod.path === undefined ? pod : { ...pod, stripPrefix: true as const }));
  const { notes } = exportKubernetes({ ...spec, pods }, { withSecrets: false, host: 'shop.example.com' });
  const note = 'stripPrefix is left out: set it for web with an annotation of your Ingress controller.';
  assert.ok(notes.includes(note), notes.join('\n'));
});
