/** A token belongs to its holder: it is not in any log, and the store is queried only by its hash. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import { hashToken } from '../../src/lib/ids.ts';
import { openWorld, type World } from './edge-world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.end());

const planted = 'berth_PlantedPlantedPlantedPlanted1234';

/** The token wherever a request can hold one, in the right form and in wrong ones. */
function requestsWith(token: string): string[] {
  const get = (target: string, headers: string[] = []) =>
    [`GET ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', ''].join('\r\n');
  const post = (target: string, body: string, headers: string[] = ['Content-Type: application/json']) =>
    [
      `POST ${target} HTTP/1.1`,
      'Host: localhost',
      'Connection: close',
      `Content-Length: ${body.length}`,
      ...headers,
      '',
      body,
    ].join('\r\n');
  const named = `applicationName=shop&sessionToken=${token}`;
  const body = JSON.stringify({ applicationName: 'shop', sessionToken: token });
  const readers = ['/getReservations', '/getDeploymentStatus', '/getDeploymentEvents', '/getDeploymentLogs'];
  const writers = ['/extendDeployment', '/claimDeployment', '/addDeploymentReservation', '/removeReservations'];
  return [
    ...readers.map((path) => get(`${path}?${named}`)),
    ...readers.map((path) => get(`${path}?applicationName=shop`, [`Authorization: Bearer ${token}`])),
    ...writers.map((path) => post(path, body)),
    ...writers.map((path) => post(path, body.slice(0, -1))),
    post(`/startUserDeployment?sessionToken=${token}`, `application: ${token}`, ['Content-Type: text/x-yaml']),
    post(`/updateUserDeployment?sessionToken=${token}`, `- ${token}`, ['Content-Type: text/x-yaml']),
    post('/validate', `{"yaml": "${token}`),
    ...[
      `Referer: http://localhost/?sessionToken=${token}`,
      `Cookie: sessionToken=${token}`,
      `Authorization: Basic ${token}`,
      `User-Agent: ${token}`,
      `X-Request-Id: ${token}`,
      `Idempotency-Key: ${token}`,
      `Last-Event-ID: ${token}`,
      `Expect: ${token}`,
      `${token}: x`,
    ].map((header) => get('/getReservations', [header])),
    ...[`/${token}`, `/claim/${token}`, `/%zz${token}`, `/schema/${token}?${token}=${token}`, `/schema#${token}`].map(
      (target) => get(target),
    ),
    `${token} / HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: ${token}\r\n\r\n`,
  ];
}

test('no line of the log holds a token, wherever a request has put it', async () => {
  await Promise.all(requestsWith(planted).map((request) => world.send(request)));
  const lines = world.api.lines.join('');
  assert.ok(world.api.lines.length >= 25, 'the requests are in the log');
  assert.doesNotMatch(lines, /Planted/i);
});

test('nor does one that reports a fault, when the store fails in the midst of requests', async () => {
  const broken = await openWorld();
  try {
    await broken.api.service.db.destroy();
    await Promise.all(requestsWith(planted).map((request) => broken.send(request)));
    const lines = broken.api.lines.join('');
    assert.match(lines, /"msg":"request failed"/);
    assert.doesNotMatch(lines, /Planted/i);
  } finally {
    await broken.end();
  }
});

test('the store is queried by the hash of a token, never by the token: nothing is compared byte by byte', async () => {
  const { service } = world.api;
  const queries: string[] = [];
  const spy: KyselyPlugin = {
    transformQuery: ({ node }) => {
      queries.push(JSON.stringify(node));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const { db } = service;
  service.db = db.withPlugin(spy);
  await world.api.get(`/getReservations?sessionToken=${planted}`);
  await world.api.get(`/claim/${planted}`);
  service.db = db;
  const requested = queries.join('\n');
  assert.equal(requested.split(hashToken(planted)).length - 1, 2, requested);
  assert.doesNotMatch(requested, /Planted/i);
});
