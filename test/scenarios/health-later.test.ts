/** A live deployment whose pod stops answering well, and recovers: reported soon, and once. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Berth, createBerth, type Started, until } from './berth.ts';

const secret = 'very-secret-0123';
let berth: Berth;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(async () => await berth.destroy());

type Pod = { name: string; state: string; message?: string; healthCheckBody?: string };

/** `GET /sick` and `GET /well` make and remove the file that decides; `GET /deaf` and `GET /listen` open the port. */
const yaml = (name: string, check: string) => `application:
  name: ${name}
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      vars: { API_KEY: ${secret} }
      command: node /app/server.mjs
      ${check}
      files:
        - path: /app/server.mjs
          content: |
            import { createServer } from 'node:http';
            import { existsSync, rmSync, writeFileSync } from 'node:fs';
            const sick = '/tmp/sick';
            const acts = { '/sick': () => writeFileSync(sick, ''), '/well': () => rmSync(sick) };
            createServer((request, response) => {
              acts[request.url]?.();
              const isSick = request.url === '/healthz' && existsSync(sick);
              response.writeHead(isSick ? 500 : 200).end(isSick ? \`no database for \${process.env.API_KEY}\` : 'well');
            }).listen(3000);
            process.once('SIGTERM', () => process.exit());
`;

const healthOf = async (app: Started) => (await berth.status(app)).health;
const becomes = (app: Started, health: string) =>
  until(`${app.applicationName} is ${health}`, async () => ((await healthOf(app)) === health ? true : undefined));

test('a pod of a live deployment that answers 500 makes it degraded, with the evidence, until it answers again', async () => {
  const times = 'periodSeconds: 1, failureThreshold: 2';
  const app = await berth.start(yaml('later', `healthCheck: { path: /healthz, ${times} }`));
  await berth.reach(app, 'running');
  await berth.visit(`${app.url}/sick`);
  await becomes(app, 'degraded');
  const status = await berth.status(app);
  const [web] = status.pods as Pod[];
  const because = 'health check /healthz answered 500 (healthCheck.path has to answer 2xx or 3xx)';
  assert.equal(status.state, 'running');
  assert.deepEqual([web?.state, web?.message], ['degraded', because]);
  assert.equal(web?.healthCheckBody, 'no database for [redacted]');
  assert.equal(status.message, `pod web: ${because}`);
  await berth.visit(`${app.url}/well`);
  await becomes(app, 'running');
  const reported = (await berth.eventsUntil(app, /^ready$/)).filter(({ kind, message }) => {
    return kind === 'pod' && message.startsWith('degraded');
  });
  assert.deepEqual(
    reported.map(({ message, count }) => [message, count]),
    [[`degraded: ${because}`, 1]],
  );
  assert.ok(!berth.log().includes(secret));
  await berth.remove(app);
});

test('so does a command that no longer ends with 0', async () => {
  const check = `healthCheck: { command: [sh, -c, 'test ! -e /tmp/sick'], periodSeconds: 1, failureThreshold: 1 }`;
  const app = await berth.start(yaml('later', check));
  await berth.reach(app, 'running');
  await berth.visit(`${app.url}/sick`);
  await becomes(app, 'degraded');
  assert.match((await berth.status(app)).message, /^pod web: health check `test` exits with 1/);
  await berth.visit(`${app.url}/well`);
  await becomes(app, 'running');
  await berth.remove(app);
});
