/** Tests warnings about data that would be lost or exposed, and about wrong hosts: databases, tools and hosts. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Diagnostic } from '../diagnostics/diagnostics.ts';
import { applyEdits } from '../fix.ts';
import { parseConfiguration } from '../parse.ts';

/** Returns the messages of one code for a pod with these lines, next to a public pod. */
function saidOf(code: string, lines: string): string[] {
  return foundOf(code, lines).map(({ message }) => message);
}

function foundOf(code: string, lines: string): Diagnostic[] {
  const text = `application:
  name: shop
  pods:
    - { name: front, image: "acme/front:1", path: /, servicePorts: [80] }
    - ${lines.trim().replace(/\n/g, '\n      ')}
`;
  const { kind, diagnostics } = parseConfiguration(text);
  assert.equal(kind, 'valid', JSON.stringify(diagnostics));
  return diagnostics.filter((diagnostic) => diagnostic.code === code);
}

describe('a database without a volume', () => {
  const database = (image: string, lines = '') =>
    saidOf('database-without-volume', `name: db\nimage: ${image}\nservicePorts: [1234]\n${lines}`);

  test('loses its data, which is said', () => {
    assert.deepEqual(database('postgres:17'), ['postgres has no volume: an update deletes its data']);
    for (const image of ['mysql:8.4', 'mariadb:11', 'mongo:8', 'pgvector/pgvector:pg17', 'couchdb:3', 'neo4j:5']) {
      assert.equal(database(image).length, 1, image);
    }
  });
  test('caches and images that are not servers are ignored', () => {
    for (const image of ['redis:7', 'memcached:1', 'rabbitmq:4', 'acme/postgres-backup:1']) {
      assert.deepEqual(database(image), [], image);
    }
    assert.deepEqual(saidOf('database-without-volume', 'name: dump\nimage: postgres:17\nresourceType: job'), []);
    assert.deepEqual(saidOf('database-without-volume', 'name: dump\nimage: postgres:17\ncommand: sleep 9'), []);
  });
  test('a volume that is elsewhere does not keep it', () => {
    const volume = (path: string) => `volumes: [{ name: data, size: 1Gi, mountPath: ${path} }]`;
    assert.deepEqual(database('mysql:8.4', volume('/docker-entrypoint-initdb.d')), [
      'no volume is where mysql keeps its data: an update deletes it',
    ]);
    const kept: [string, string, string?][] = [
      ['mysql:8.4', '/var/lib/mysql'],
      ['postgres:17', '/var/lib/postgresql'],
      ['postgres:17', '/var/lib/postgresql/data'],
      ['postgres:17', '/pg', 'vars: { PGDATA: /pg/data }'],
      ['mongo:8', '/data'],
      ['mysql:8.4', '/own', 'command: [--datadir=/own]'],
      ['bitnami/mysql:8.4', '/bitnami/mysql'],
    ];
    for (const [image, path, more = ''] of kept)
      assert.deepEqual(database(image, `${volume(path)}\n${more}`), [], path);
  });
});

describe('a tool of operators in public', () => {
  const tool = (image: string, lines = '') =>
    saidOf('public-admin-tool', `name: tool\nimage: ${image}\nservicePorts: [1234]\npath: /tool\n${lines}`);

  test('without a password of its own is pointed out', () => {
    assert.deepEqual(tool('adminer:5'), ['everyone can reach Adminer at /tool, which has no password of its own']);
    assert.equal(tool('phpmyadmin:5').length, 1);
    assert.equal(tool('phpmyadmin/phpmyadmin:5').length, 1);
  });
  test('with its default password, or a common one', () => {
    assert.deepEqual(tool('minio/minio:1'), ['everyone can reach MinIO at /tool, which has its default password']);
    assert.deepEqual(tool('minio/minio:1', 'vars: { MINIO_ROOT_PASSWORD: minio123 }'), [
      'everyone can reach MinIO at /tool, which has a well-known default password',
    ]);
    assert.equal(tool('quay.io/keycloak/keycloak:26.0', 'vars: { KEYCLOAK_ADMIN_PASSWORD: admin }').length, 1);
  });
  test('with one of its own, or inside, it is fine', () => {
    assert.deepEqual(tool('minio/minio:1', 'vars: { MINIO_ROOT_PASSWORD: <% SECRET MINIO_ROOT_PASSWORD %> }'), []);
    assert.deepEqual(tool('minio/minio:1', 'vars: { MINIO_ROOT_PASSWORD: x7Kq-93hT_vv }'), []);
    assert.deepEqual(saidOf('public-admin-tool', 'name: tool\nimage: adminer:5\nservicePorts: [8080]'), []);
  });
});

describe('a list of allowed hosts', () => {
  const visited = (value: string, variable: string) =>
    `name: api\nimage: acme/api:1\npath: /api\nservicePorts: [80]\nvars: { ${variable}: "${value}" }`;
  const list = (value: string, variable = 'ALLOWED_HOSTS') => saidOf('site-host-missing', visited(value, variable));

  test('without the host of the application is pointed out', () => {
    assert.deepEqual(list('localhost,127.0.0.1'), [
      'ALLOWED_HOSTS does not hold the host of the application: it answers visitors with an error',
    ]);
    for (const variable of ['DJANGO_ALLOWED_HOSTS', 'NEXTCLOUD_TRUSTED_DOMAINS', 'ALLOWED_HOST']) {
      assert.equal(list('shop.example.com', variable).length, 1, variable);
      const [found] = foundOf('site-host-missing', visited('shop.example.com', variable));
      assert.equal(found?.hint, 'add <% HOST %>, as in shop.example.com,<% HOST %>');
    }
  });
  test('with it, with a star, or of a form of its own, it is fine', () => {
    for (const value of ['*', 'localhost,<% HOST %>', '', "['localhost']", '.example.com,*']) {
      assert.deepEqual(list(value), [], value);
    }
  });
  test('gets the host by its fix', () => {
    const text = `application:
  name: shop
  pods: [{ name: web, image: "acme/web:1", path: /, servicePorts: [80], vars: { ALLOWED_HOSTS: localhost web } }]
`;
    const { diagnostics } = parseConfiguration(text);
    const [{ fix }] = diagnostics as [(typeof diagnostics)[number]];
    const mended = parseConfiguration(applyEdits(text, [fix!]));
    assert.ok(mended.kind === 'valid');
    assert.equal(mended.spec.pods[0]?.vars.ALLOWED_HOSTS, 'localhost web <% HOST %>');
    assert.deepEqual(mended.diagnostics, []);
  });
});
