import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfiguration } from '../parse.ts';
import { exportCompose } from './compose-file.ts';
import { exportKubernetes } from './kubernetes.ts';

const document = `application:
  name: shop
  pods:
    - name: db
      image: postgres:18
      vars: { POSTGRES_PASSWORD: abc12 }
      command: [worker, --queue, "amqp://me:kR4b@queue.pod:5672"]
      files: [{ path: /etc/app.conf, content: "dsn = mysql://root:kR5c@db.pod:3306/x\\n" }]
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
      vars: { DATABASE_URL: "postgres://app:abc12@db.pod:5432/app", CACHE: "redis://:kR6d@db.pod:6379" }
      command: [sh, -c, "echo http://u:$TOKEN@x"]
`;

test('a password in an address is in no export without secrets, however short and wherever it stands', () => {
  const parsed = parseConfiguration(document);
  assert.ok(parsed.kind === 'valid', JSON.stringify(parsed));
  const compose = exportCompose(parsed.spec, { withSecrets: false }).text;
  const kubernetes = exportKubernetes(parsed.spec, { withSecrets: false, host: 'shop.example.com' }).text;
  for (const text of [compose, kubernetes]) {
    for (const password of ['abc12', 'kR4b', 'kR5c', 'kR6d'])
      assert.ok(!text.includes(password), `${password}\n${text}`);
    assert.match(text, /\$TOKEN@x/);
  }
  const whole = exportCompose(parsed.spec, { withSecrets: true }).text;
  for (const password of ['abc12', 'kR4b', 'kR5c', 'kR6d']) assert.ok(whole.includes(password), password);
});
