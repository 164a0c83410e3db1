import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfiguration } from '../parse.ts';
import { outlineOf } from './spec-outline.ts';

function outline(yaml: string) {
  const parsed = parseConfiguration(yaml);
  assert.ok(parsed.kind === 'valid', JSON.stringify(parsed.diagnostics));
  return outlineOf(parsed.spec);
}

const shop = `application:
  name: shop
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
      files: [{ path: /etc/nginx/conf.d/api.conf, content: "location /api { proxy_pass http://api.pod:3000; }" }]
    - name: api
      image: node:26-slim
      path: /api
      servicePorts: [3000]
      vars: { DATABASE_URL: "postgresql://u:hunter2@db.pod:5432/shop", CACHE_HOST: cache, NOTE: the db is fine }
      dependsOn: [db]
    - name: db
      image: postgres:15
      servicePorts: [5432]
      vars: { POSTGRES_PASSWORD: hunter2 }
      volumes: [{ name: data, size: 2Gi, mountPath: /var/lib/postgresql/data }]
    - name: cache
      image: redis:7
      servicePorts: [6379]
    - name: worker
      image: node:26-slim
      command: node worker.js --redis redis://shop-cache.pod:6379 --api http://api.pod:3000 --queue cache:6379
`;

test('an outline shows which pods use which: by address, by name, by order', () => {
  const uses = Object.fromEntries(outline(shop).map(({ name, uses }) => [name, uses]));
  assert.deepEqual(uses, { web: ['api'], api: ['db', 'cache'], db: [], cache: [], worker: ['api', 'cache'] });
});

test('an outline has images, routes, ports and volumes, and no value of a variable or file', () => {
  const [web, api, db] = outline(shop);
  assert.deepEqual([web!.paths, api!.paths, db!.paths], [['/'], ['/api'], []]);
  assert.deepEqual(db, {
    name: 'db',
    image: 'postgres:15',
    paths: [],
    ports: [5432],
    uses: [],
    resourceType: 'deployment',
    replicas: 1,
    volumes: [{ name: 'data', size: '2 GiB', mountPath: '/var/lib/postgresql/data' }],
  });
  assert.ok(!JSON.stringify(outline(shop)).includes('hunter2'));
});

test('the services of a Compose file use each other by their plain names', () => {
  const compose = `services:
  web: { image: "nginx:1", ports: ["80:80"], environment: { API: "http://api:3000" } }
  api: { image: "node:26-slim", expose: ["3000"], environment: { DB_HOST: db } }
  db: { image: "postgres:15" }
`;
  const uses = Object.fromEntries(outline(compose).map(({ name, uses }) => [name, uses]));
  assert.deepEqual(uses, { web: ['api'], api: ['db'], db: [] });
});
