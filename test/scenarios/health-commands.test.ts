/** Health checks that are commands: they decide when a pod is ready, and when those that wait for it start. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { webYaml } from './applications.ts';
import { type Berth, createBerth, until } from './berth.ts';

const secret = 'very-secret-0123';
let berth: Berth;
before(async () => {
  berth = await createBerth({ BERTH_TIMEOUTS: 'deploy=10m drain=200ms' });
  await berth.serve();
});
after(async () => await berth.destroy());

/** The queue accepts requests long before it is healthy; the web server sends it one request at its start. */
const compose = `
name: checked
services:
  web:
    image: node:26-slim
    command: [node, /app/web.mjs]
    configs: [{ source: web, target: /app/web.mjs }]
    ports: [3000]
    depends_on: { queue: { condition: service_healthy }, db: { condition: service_healthy } }
    healthcheck: { test: ["CMD", "node", "-e", "fetch('http://localhost:3000').then(r => process.exit(r.ok ? 0 : 1))"] }
  queue:
    image: node:26-slim
    command: [node, /app/queue.mjs]
    configs: [{ source: queue, target: /app/queue.mjs }]
    expose: [4000]
    healthcheck: { test: test -e /tmp/healthy && exit 0 || exit 1, interval: 5s }
  db:
    image: postgres:15
    environment: { POSTGRES_USER: app, POSTGRES_PASSWORD: "\${DB_PASSWORD}" }
    volumes: [data:/var/lib/postgresql/data]
    healthcheck: { test: ["CMD-SHELL", "pg_isready -h 127.0.0.1 -U $$POSTGRES_USER"], interval: 5s, retries: 12 }
volumes: { data: }
configs:
  queue:
    content: |
      import { createServer } from 'node:http';
      import { existsSync, writeFileSync } from 'node:fs';
      const healthy = '/tmp/healthy';
      createServer((_, response) => response.end(existsSync(healthy) ? 'healthy' : 'too early')).listen(4000);
      setTimeout(() => writeFileSync(healthy, ''), 2000);
      process.once('SIGTERM', () => process.exit());
  web:
    content: |
      import { createServer } from 'node:http';
      const found = await (await fetch('http://queue:4000')).text();
      createServer((_, response) => response.end(found)).listen(3000);
      process.once('SIGTERM', () => process.exit());
`;

test('a service that waits for service_healthy starts when the command of the other one has said so', async () => {
  const checked = await berth.start(compose);
  await berth.reach(checked, 'running');
  assert.equal((await berth.visit(checked.url)).text, 'healthy');
  await berth.remove(checked);
});

test('the failure of a command is explained in the status, without the secrets that it writes', async () => {
  const script = `'echo "no route to $API_KEY"; exit 2'`;
  const check = `healthCheck: { command: [sh, -c, ${script}], periodSeconds: 60, failureThreshold: 100 }`;
  const yaml = webYaml('unwell', 'x', [check]).replace('vars: { ', `vars: { API_KEY: ${secret}, `);
  const unwell = await berth.start(yaml);
  let reported: string | undefined;
  await until('the pod says why', async () => {
    const { pods = [] } = await berth.status(unwell);
    reported = pods[0]?.message;
    return reported?.includes('exits with');
  });
  assert.equal(reported, 'health check `echo` exits with 2: no route to [redacted] (its command has to exit with 0)');
  assert.ok(!berth.log().includes(secret));
  await berth.remove(unwell);
});
