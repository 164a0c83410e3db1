import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from '../support/project-folder.ts';

const behind = (...labels: string[]) => ({
  'compose.yaml': `services:
  proxy:
    image: traefik:v3
    ports: ['80:80']
    volumes: ['/var/run/docker.sock:/var/run/docker.sock']
  api:
    image: ghcr.io/me/api:1
    depends_on: [proxy]
    labels: ${JSON.stringify(labels)}
`,
});

test('a proxy that routes by labels is left out, and what it would route is routed', async (t) => {
  const { project, spec, noted } = await read(
    t,
    behind('traefik.http.routers.a.rule=PathPrefix(`/api`)', 'traefik.http.services.a.loadbalancer.server.port=3000'),
  );
  assert.deepEqual(project.refusals, []);
  assert.deepEqual(
    spec.pods.map(({ name, path, servicePorts }) => [name, path, servicePorts]),
    [['api', '/api', [3000]]],
  );
  assert.ok(noted.includes('proxy-left-out compose.yaml:2:3'));
});

test('a rule by host publishes the service', async (t) => {
  const { spec } = await read(
    t,
    behind(
      'traefik.http.routers.a.rule=Host(`a.example.com`)',
      'traefik.http.services.a.loadbalancer.server.port=3000',
    ),
  );
  assert.deepEqual(
    spec.pods.map(({ path, servicePorts }) => [path, servicePorts]),
    [['/', [3000]]],
  );
});

test('a proxy that does more than to route is not left out: it may be what keeps strangers away', async (t) => {
  const { refused } = await read(
    t,
    behind('traefik.http.routers.a.rule=Host(`a.b`)', 'traefik.http.routers.a.middlewares=auth'),
  );
  assert.deepEqual(refused, ['docker-socket compose.yaml:5:15']);
});
