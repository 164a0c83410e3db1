import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Berth, createBerth } from './berth.ts';
import { engineOfTests } from './engine-of-tests.ts';

/** No pod can have it. On a cluster none is reached by a name with an underscore. */
const back = engineOfTests === 'docker' ? 'back_end' : 'back.end';

let berth: Berth;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(async () => await berth.destroy());

/** A job that fills a shared volume, a service behind a name that no pod can have, and one in front of it. */
const compose = `
name: composed
x-node: &node
  image: node:26-slim
  working_dir: /app
  configs: [{ source: server, target: /app/server.mjs }]
services:
  front:
    <<: *node
    command: node server.mjs
    environment: { BACK: "http://${back}:\${BACK_PORT:-4000}/x", TOKEN: "\${SHARED_TOKEN}" }
    user: "65534"
    ports: ["8080:3000"]
    depends_on: [${back}]
  ${back}:
    <<: *node
    command: [node, server.mjs]
    environment: [PORT=4000, "TOKEN=\${SHARED_TOKEN}"]
    volumes: [common:/common:ro]
    expose: [4000]
    depends_on: { seed: { condition: service_completed_successfully } }
  seed:
    image: node:26-slim
    entrypoint: [node, -e]
    command: ["require('fs').writeFileSync('/common/seed', 'planted')"]
    volumes: [common:/common]
volumes: { common: }
configs:
  server:
    content: |
      import { createServer } from 'node:http';
      import { readFileSync } from 'node:fs';
      const { BACK, TOKEN, PORT = 3000 } = process.env;
      createServer(async (request, response) => {
        if (!BACK) return response.end(JSON.stringify({ token: TOKEN, seed: readFileSync('/common/seed', 'utf8'), path: request.url }));
        const back = await (await fetch(BACK)).json();
        response.end(JSON.stringify({ token: TOKEN, user: process.getuid(), cost: '$$5', back }));
      }).listen(PORT);
      process.once('SIGTERM', () => process.exit());
`;

test('a Compose file becomes a live URL: names, volumes, files, jobs and made-up passwords work as it says', async () => {
  const composed = await berth.start(compose);
  assert.equal(composed.applicationName, 'composed');
  await berth.reach(composed, 'running');
  const { status, text } = await berth.visit(composed.url);
  assert.equal(status, 200, text);
  const { token, user, cost, back } = JSON.parse(text);
  assert.ok(token.length >= 16, 'a generated token is random');
  assert.deepEqual({ user, cost }, { user: 65534, cost: '$5' });
  assert.deepEqual(back, { token, seed: 'planted', path: '/x' });
  await berth.remove(composed);
});
