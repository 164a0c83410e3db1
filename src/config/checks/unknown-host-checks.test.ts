import assert from 'node:assert/strict';
import { test } from 'node:test';
import { database, podsOf, web } from '../../../test/config/documents.ts';
import { applyEdits } from '../fix.ts';
import { parseConfiguration } from '../parse.ts';

/** Reports for variables of a pod next to a database `db` and an API that listens on 3000, and the fixed lines. */
function verdict(vars: string, ...others: string[]): string[] {
  const api = 'name: api\nimage: me/api:1\nservicePorts: [3000]';
  return verdictOf(podsOf(`${web}\nvars: { ${vars} }`, database, api, ...others));
}

function verdictOf(text: string): string[] {
  const { diagnostics } = parseConfiguration(text);
  const found = diagnostics.filter(({ code }) => code === 'unknown-host' || code === 'localhost-reference');
  return found.map(({ code, hint, fix }) => {
    const fixed = fix && applyEdits(text, [fix]).split('\n');
    const changed = fixed?.find((line, position) => line !== text.split('\n')[position]);
    return `${code}: ${hint}${changed ? ` => ${changed.trim()}` : ''}`;
  });
}

test('for a host that does not exist, the warning suggests a pod, and the fix writes it', () => {
  for (const [vars, expected] of [
    ['DB_HOST: postgres', 'unknown-host: write db.pod, which listens on port 5432 => vars: { DB_HOST: db.pod }'],
    [
      'DATABASE_URL: "postgres://postgres:postgres@postgres:5432/postgres"',
      'unknown-host: write db.pod, which listens on port 5432 => vars: { DATABASE_URL: postgres://postgres:postgres@db.pod:5432/postgres }',
    ],
    [
      'API_URL: "http://backend:3000/v1"',
      'unknown-host: write api.pod, which listens on port 3000 => vars: { API_URL: http://api.pod:3000/v1 }',
    ],
    [
      'DB_HOST: pg.default.svc.cluster.local, DB_PORT: "5432"',
      'unknown-host: write db.pod, which listens on port 5432 => vars: { DB_HOST: db.pod, DB_PORT: "5432" }',
    ],
    [
      'SMTP_SERVER: mailer',
      'unknown-host: add a pod "mailer", or write a host that exists; the other pods are db, api',
    ],
    ['DB_HOST: localhost', 'localhost-reference: write db.pod => vars: { DB_HOST: db.pod }'],
    [
      'UPSTREAM_ADDR: "127.0.0.1:3000"',
      'localhost-reference: write api.pod:3000 => vars: { UPSTREAM_ADDR: "api.pod:3000" }',
    ],
    [
      'CACHE_HOST: 127.0.0.1, CACHE_PORT: "3000"',
      'localhost-reference: write api.pod => vars: { CACHE_HOST: api.pod, CACHE_PORT: "3000" }',
    ],
  ] as const) {
    assert.deepEqual(verdict(vars), [expected], vars);
  }
});

test('for a database at localhost, the message says that this pod does not run it', () => {
  const { diagnostics } = parseConfiguration(podsOf(`${web}\nvars: { DB_HOST: localhost }`, database));
  const [local] = diagnostics.filter(({ code }) => code === 'localhost-reference');
  assert.equal(local?.message, '"localhost" is the pod itself, which does not run postgres');
});

test('a fix is offered only if the name and the port mean the same pod', () => {
  assert.deepEqual(verdict('API_URL: "http://postgres:3000"'), [
    'unknown-host: write api.pod, which listens on port 3000',
  ]);
  assert.deepEqual(verdict('API_URL: "http://backend:3000"', 'name: other\nimage: me/other:1\nservicePorts: [3000]'), [
    'unknown-host: add a pod "backend", or write a host that exists; the other pods are db, api, other',
  ]);
});

test('pods, public names, addresses, unset variables and words that are not hosts are fine', () => {
  for (const vars of [
    'DB_HOST: db, API_URL: "http://api.pod:3000", PGHOST: shop-db-service',
    'API_URL: "https://api.openai.com/v1", SMTP_HOST: smtp.example.com, NTP_SERVER: 10.0.0.1, DNS_SERVERS: "1.1.1.1,8.8.8.8"',
    'APP_URL: "<% URL %>", APP_HOST: "<% DOMAIN %>", OTHER_URL: "http://${OTHER}:80", EMPTY_HOST: ""',
    'HOST: web, HOSTNAME: me, LISTEN_ADDR: eth0, BIND_ADDRESS: loopback, SERVE_URL: "true", SITE_ADDRESS: ":80"',
    'DATABASE_URL: "sqlite:///data/x.db", DATA_URL: "file:///x", DOCKER_HOST: "unix:///var/run/docker.sock", MAIL_ADDRESS: a@b',
    'WEB_HOST: localhost, METRICS_ADDR: "127.0.0.1:9100", ALLOWED_HOST: intranet',
  ]) {
    assert.deepEqual(verdict(vars), [], vars);
  }
});

test('services of a Compose file are pointed out in the same way, and their aliases are known', () => {
  const compose = (host: string) => `services:
  web:
    image: me/app:1
    ports: ["3000:3000"]
    environment:
      DB_HOST: ${host}
  store:
    image: postgres:16
    container_name: pg
    environment: { POSTGRES_PASSWORD: pw }
`;
  assert.deepEqual(verdictOf(compose('postgres')), [
    'unknown-host: write store, which listens on port 5432 => DB_HOST: store',
  ]);
  assert.deepEqual(verdictOf(compose('localhost')), ['localhost-reference: write store']);
  assert.deepEqual(verdictOf(compose('pg')), []);
  assert.deepEqual(verdictOf(compose('store')), []);
});

test('the fix in a Compose file replaces the host in the value, and leaves interpolated values alone', () => {
  const compose = (environment: string) => `services:
  web:
    image: me/app:1
    ports: ["3000:3000"]
    environment: ${environment}
  store: { image: postgres:16, environment: { POSTGRES_PASSWORD: pw } }
`;
  const fixed = (environment: string) => {
    const document = compose(environment);
    const { diagnostics } = parseConfiguration(document);
    const found = diagnostics.filter(({ code }) => code === 'unknown-host');
    assert.deepEqual([found.length, found[0]?.line], [1, 5]);
    const { fix } = found[0]!;
    return fix && document.slice(0, fix.from) + fix.text + document.slice(fix.to);
  };
  const url = 'postgres://postgres:postgres@postgres:5432/postgres';
  for (const [written, expected] of [
    ['{ DB_HOST: postgres }', '{ DB_HOST: store }'],
    ['["DB_HOST=postgres"]', '[DB_HOST=store]'],
    ['[DB_HOST=postgres, B=1]', '[DB_HOST=store, B=1]'],
    [`{ DB_URL: "${url}" }`, `{ DB_URL: ${url.replace('@postgres', '@store')} }`],
  ] as const)
    assert.equal(fixed(written), compose(expected));
  assert.equal(fixed('{ DB_URL: "postgres://${DB_USER:-app}:x@postgres:5432/postgres" }'), undefined);
});
