import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseConfiguration } from '../parse.ts';

/** The result of `${NAME}` in a variable of a pod next to a database: its value, and the codes about it. */
function outcome(variable: string, name: string, { image = 'acme/shop:1', database = '' } = {}): string {
  const native = parseConfiguration(`application:
  name: shop
  pods:
    - name: web
      image: ${image}
      path: /
      servicePorts: [80]
      vars: { ${variable}: "\${${name}}" }
${database ? `    - name: db\n      image: postgres:17\n      servicePorts: [5432]\n      vars: { ${database}: "\${${name}}" }\n` : ''}`);
  const compose = parseConfiguration(`name: shop
services:
  web:
    image: ${image}
    ports: [80]
    environment: { ${variable}: "\${${name}}" }
${database ? `  db:\n    image: postgres:17\n    environment: ["${database}=\${${name}}"]\n` : ''}`);
  const [one, other] = [native, compose].map((parsed) => {
    assert.ok(parsed.kind === 'valid', JSON.stringify(parsed.diagnostics));
    const isRandom = parsed.spec.pods[0]!.vars[variable] === `<% SECRET ${name} %>`;
    const codes = parsed.diagnostics.map(({ code }) => code);
    assert.equal(codes.includes('generated-value'), isRandom);
    return isRandom ? 'random' : codes.includes('missing-key') ? 'missing' : 'empty';
  });
  assert.equal(one, other, 'both forms say the same');
  return one!;
}

describe('a key of a third party is never made up', () => {
  const names = [
    'OPENAI_API_KEY',
    'GOOGLE_MAPS_API_KEY',
    'GOOGLE_MAPS_KEY',
    'STRIPE_SECRET_KEY',
    'AWS_SECRET_ACCESS_KEY',
    'GITHUB_CLIENT_SECRET',
    'SLACK_SIGNING_SECRET',
    'TELEGRAM_BOT_TOKEN',
    'DISCORD_TOKEN',
    'TOKEN',
    'SMTP_PASSWORD',
    'MAIL_PASS',
    'MONGO_ATLAS_PASSWORD',
    'API_KEY',
  ];
  for (const name of names) test(name, () => assert.equal(outcome(name, name), 'missing'));
  test('nor in an image that is named after it', () => {
    assert.equal(outcome('OPENAI_API_KEY', 'OPENAI_API_KEY', { image: 'acme/openai-proxy:1' }), 'missing');
  });
});

describe('a password of a database is made up where the database is in the document', () => {
  test('of one elsewhere it is not', () => {
    assert.equal(outcome('DB_PASSWORD', 'DB_PASSWORD'), 'missing');
    assert.equal(outcome('MONGO_URL', 'MONGO_PASSWORD'), 'missing');
    assert.equal(outcome('SHOP_DB_PASSWORD', 'SHOP_DB_PASSWORD'), 'missing');
    assert.equal(outcome('WORDPRESS_DB_PASSWORD', 'WP_PASS', { image: 'wordpress:6' }), 'missing');
  });
  test('the database and the pod that uses it have the same', () => {
    assert.equal(outcome('DB_PASSWORD', 'DB_PASSWORD', { database: 'POSTGRES_PASSWORD' }), 'random');
    assert.equal(outcome('PGPASSWORD', 'dbPass', { database: 'POSTGRES_PASSWORD' }), 'random');
  });
  test('a command of the database defines it, too', () => {
    const text = `name: shop
services:
  web: { image: "acme/shop:1", ports: [80], environment: { REDIS_PASSWORD: "\${REDIS_PASSWORD}" } }
  cache: { image: "redis:7", command: "redis-server --requirepass \${REDIS_PASSWORD}" }`;
    const parsed = parseConfiguration(text);
    assert.ok(parsed.kind === 'valid');
    assert.equal(parsed.spec.pods[0]?.vars.REDIS_PASSWORD, '<% SECRET REDIS_PASSWORD %>');
  });
});

describe('a secret of an application itself is made up', () => {
  for (const name of [
    'SECRET_KEY',
    'SESSION_SECRET',
    'JWT_SECRET',
    'NEXTAUTH_SECRET',
    'SHOP_COOKIE_SECRET',
    'ADMIN_PASSWORD',
  ]) {
    test(name, () => assert.equal(outcome(name, name), 'random'));
  }
  test('also when it is named after its image', () => {
    assert.equal(outcome('MEILI_MASTER_KEY', 'SEARCH_KEY', { image: 'getmeili/meilisearch:v1.15' }), 'random');
    assert.equal(outcome('TYPESENSE_API_KEY', 'TYPESENSE_API_KEY', { image: 'typesense/typesense:29.0' }), 'random');
    assert.equal(outcome('MINIO_ROOT_PASSWORD', 'AWS_SECRET_ACCESS_KEY', { image: 'minio/minio:1' }), 'random');
  });
});

test('the message says how to give a missing key', () => {
  const text = (form: string) => parseConfiguration(form).diagnostics.find(({ code }) => code === 'missing-key')?.hint;
  const compose =
    'name: shop\nservices: { web: { image: "a:1", ports: [80], environment: { KEY: "${OPENAI_API_KEY}" } } }';
  assert.match(text(compose)!, /write x-berth: \{ vars: \{ OPENAI_API_KEY: … \} \} at the top/);
  const native =
    'application: { name: shop, pods: [{ name: web, image: "a:1", path: /, servicePorts: [80], vars: { KEY: "${OPENAI_API_KEY}" } }] }';
  assert.match(text(native)!, /write the value itself here, or OPENAI_API_KEY in the "vars" of a pod/);
});
