import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixDocument } from '../fix.ts';
import { parseConfiguration } from '../parse.ts';

const shop = `apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: shop }
data:
  LOG_LEVEL: info
  app.conf: |
    listen 8080
    root $host
---
apiVersion: v1
kind: Secret
metadata: { name: db-login, namespace: shop }
type: Opaque
data:
  password: czNjcjN0JHt4fQ==
  raw: //79
stringData: { user: shop }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      initContainers: [{ name: migrate, image: "me/web:1.2" }]
      containers:
        - name: web
          image: me/web:1.2
          args: ["--level", "$(LOG_LEVEL)"]
          ports: [{ name: http, containerPort: 8080 }]
          envFrom: [{ configMapRef: { name: settings } }]
          env:
            - { name: DB_PASSWORD, valueFrom: { secretKeyRef: { name: db-login, key: password } } }
            - { name: DATABASE_URL, value: "postgres://shop:$(DB_PASSWORD)@db.shop.svc.cluster.local:15432/shop" }
            - { name: NODE, valueFrom: { fieldRef: { fieldPath: spec.nodeName } } }
          readinessProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 10 }
          resources: { requests: { cpu: 100m, memory: 64Mi }, limits: { cpu: "1", memory: 128Mi } }
          volumeMounts:
            - { name: conf, mountPath: /etc/web }
            - { name: host, mountPath: /host }
      volumes:
        - { name: conf, configMap: { name: settings, items: [{ key: app.conf, path: app.conf }] } }
        - { name: host, hostPath: { path: / } }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: postgres, namespace: shop }
spec:
  selector: { matchLabels: { app: db } }
  template:
    metadata: { labels: { app: db } }
    spec:
      containers:
        - name: postgres
          image: postgres:16
          env: [{ name: POSTGRES_PASSWORD, valueFrom: { secretKeyRef: { name: db-login, key: password } } }]
          volumeMounts: [{ name: data, mountPath: /var/lib/postgresql/data }]
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { resources: { requests: { storage: 2Gi } } }
---
apiVersion: v1
kind: Service
metadata: { name: db, namespace: shop }
spec: { selector: { app: db }, ports: [{ port: 15432, targetPort: 5432 }] }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { selector: { app: web }, ports: [{ port: 80, targetPort: http }] }
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, namespace: shop }
spec:
  rules:
    - host: shop.example.com
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }] }
---
apiVersion: batch/v1
kind: CronJob
metadata: { name: report, namespace: shop }
spec:
  schedule: "0 3 * * *"
  jobTemplate: { spec: { template: { spec: { containers: [{ name: report, image: "me/web:1.2", command: [report] }] } } } }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: web }
`;

test('manifests are refused as another form, with the converted document as the fix', () => {
  const parsed = parseConfiguration(shop);
  assert.equal(parsed.kind, 'invalid');
  const [refusal, ...missing] = parsed.diagnostics;
  assert.deepEqual(
    [refusal!.code, refusal!.line, refusal!.message],
    ['foreign-form', 1, 'this is a Kubernetes manifest, not a configuration'],
  );
  assert.match(refusal!.hint ?? '', /^deploy the converted configuration with \d+ pods: POST \/validate\?fix=true/);
  assert.deepEqual(missing.map(({ code, message }) => `${code} ${message}`).toSorted(), [
    'not-converted not in the converted configuration: HorizontalPodAutoscaler web',
    'not-converted not in the converted configuration: the binary value "raw" of Secret db-login',
    'not-converted not in the converted configuration: the host shop.example.com of Ingress web: write it as "url"',
    'not-converted not in the converted configuration: the init container migrate of web',
    'not-converted not in the converted configuration: the schedule of CronJob report: it runs once, as a job',
    'not-converted not in the converted configuration: the variable NODE of web, whose value is elsewhere',
    'not-converted not in the converted configuration: the volume "host" of web',
  ]);
});

test('the converted document is valid and has the values, files, volumes, ports and routes of the manifests', () => {
  const { text, parsed } = fixDocument(shop);
  assert.equal(parsed.kind, 'valid', JSON.stringify(parsed.diagnostics));
  assert.ok(parsed.kind === 'valid');
  const [web, db, report] = parsed.spec.pods;
  assert.equal(parsed.spec.name, 'shop');
  assert.deepEqual(
    [web!.name, web!.image, web!.path, web!.servicePorts, web!.replicas],
    ['web', 'me/web:1.2', '/', [8080], 2],
  );
  assert.equal(web!.vars.DB_PASSWORD, 's3cr3t${x}');
  assert.equal(web!.vars.DATABASE_URL, 'postgres://shop:s3cr3t${x}@db:5432/shop');
  assert.equal(web!.vars.LOG_LEVEL, 'info');
  assert.deepEqual(web!.command, ['--level', 'info']);
  assert.deepEqual(web!.files, [{ path: '/etc/web/app.conf', content: 'listen 8080\nroot $host\n', isSecret: false }]);
  assert.deepEqual(web!.resources.limits, { cpuMillis: 1000, memoryBytes: 128 * 2 ** 20 });
  assert.ok(web!.healthCheck && 'path' in web!.healthCheck);
  assert.deepEqual([web!.healthCheck.path, web!.healthCheck.port], ['/healthz', 8080]);
  assert.deepEqual(
    [db!.name, db!.resourceType, db!.aliases, db!.servicePorts],
    ['postgres', 'statefulset', ['db'], [5432]],
  );
  assert.deepEqual(db!.volumes, [{ name: 'data', sizeBytes: 2 * 2 ** 30, mountPath: '/var/lib/postgresql/data' }]);
  assert.deepEqual([report!.name, report!.resourceType, report!.entrypoint], ['report', 'job', ['report']]);
  assert.ok(text.startsWith('application:'));
});

test('a claim of two workloads is shared, and without an Ingress the pod of an open Service is public', () => {
  const workload = (name: string) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers:
        - { name: a, image: "me/a:1", ports: [{ containerPort: 80 }], volumeMounts: [{ name: v, mountPath: /data }] }
      volumes: [{ name: v, persistentVolumeClaim: { claimName: uploads } }]
`;
  const rest = `apiVersion: v1
kind: List
items:
  - { apiVersion: v1, kind: PersistentVolumeClaim, metadata: { name: uploads }, spec: { resources: { requests: { storage: 1Gi } } } }
  - { apiVersion: v1, kind: Service, metadata: { name: open }, spec: { type: LoadBalancer, selector: { app: two }, ports: [{ port: 80 }] } }
`;
  const { parsed } = fixDocument([workload('one'), workload('two'), rest].join('---\n'));
  assert.ok(parsed.kind === 'valid', JSON.stringify(parsed.diagnostics));
  assert.deepEqual(
    parsed.spec.pods.map(({ name, path, aliases, volumes }) => [name, path, aliases, volumes[0]?.isShared]),
    [
      ['one', undefined, undefined, true],
      ['two', '/', ['open'], true],
    ],
  );
});

test('manifests without a container are another form too, and never YAML that cannot be read', () => {
  const service = 'apiVersion: v1\nkind: Service\nmetadata: { name: a }\n';
  for (const text of [service, `${service}---\n${service}`]) {
    const { kind, diagnostics } = parseConfiguration(text);
    assert.deepEqual([kind, diagnostics.map(({ code }) => code)], ['invalid', ['foreign-form']]);
  }
});

test('manifests of any content convert without an exception', () => {
  const odd = [
    'null',
    '[]',
    '{}',
    '"x"',
    '7',
    '{ containers: 5 }',
    '{ template: { spec: { containers: [null, 3, {}] } } }',
  ];
  for (const spec of odd)
    for (const kind of ['Deployment', 'Service', 'Ingress', 'CronJob', 'Pod', 'ConfigMap', 'constructor', 'List']) {
      const text = `apiVersion: v1\nkind: ${kind}\nmetadata: ${spec}\nspec: ${spec}\nitems: ${spec}\n`;
      assert.notEqual(parseConfiguration(text).kind, 'valid');
      fixDocument(text);
    }
});
