import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { type Berth, createBerth, type Started, until } from './berth.ts';

const hour = 3_600_000;

/** Keeps what it is sent on its volume, and says when it was started. */
const notesYaml = `application:
  name: notes
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: node /app/server.mjs
      volumes: [{ name: data, size: 64Mi, mountPath: /data }]
      files:
        - path: /app/server.mjs
          content: |
            import { appendFileSync, readFileSync } from 'node:fs';
            import { createServer } from 'node:http';
            const startedAt = Date.now();
            appendFileSync('/data/notes', '');
            createServer(async (request, response) => {
              for await (const chunk of request) appendFileSync('/data/notes', chunk);
              response.end(startedAt + ' ' + readFileSync('/data/notes', 'utf8'));
            }).listen(3000);
            process.once('SIGTERM', () => process.exit());
`;

let berth: Berth;
let cookie = '';
let notes: Started;
before(async () => {
  // Its clock is the test's: however slow the machine is, what is to be claimed in time is.
  berth = await createBerth({ BERTH_LIFETIME: '1h', BERTH_EXTENSIONS: '0' }, { isHooked: true });
  await berth.serve();
});
after(async () => await berth.destroy());

const origin = () => `http://localhost:${berth.settings.port}`;

/** A request like the dashboard's: from its own origin, with the cookie of the sign-in. */
async function ask(method: string, path: string, body?: object) {
  const answer = await berth.visit(`${origin()}${path}`, {
    method,
    headers: { origin: origin(), cookie, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const cookies = answer.headers['set-cookie'] ?? [];
  if (cookies.length > 0) cookie = cookies.map((line) => line.split(';')[0]).join('; ');
  return answer;
}

async function berthAdmin(...words: string[]) {
  const env = berth.environment;
  return await promisify(execFile)(process.execPath, ['src/cli/bin.mjs', 'admin', ...words], { env });
}

test('what a stranger has deployed lives on with its data past its time limit once it is claimed', async () => {
  const fleeting = await berth.start(notesYaml.replace('name: notes', 'name: fleeting'));
  notes = await berth.start(notesYaml);
  await berth.reach(notes, 'running');
  const { text: before } = await berth.visit(notes.url, {
    method: 'POST',
    body: 'a note',
    headers: { 'content-length': 6 },
  });
  assert.match(before, /a note$/);
  const { body: link } = await berth.postJson('/claimDeployment', notes);
  const path = new URL(link.claimUrl).pathname;

  assert.equal((await ask('POST', path)).status, 401);
  const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' };
  assert.equal((await ask('POST', '/api/auth/sign-up/email', person)).status, 200);
  const { status, body: claimed } = await ask('POST', path);
  assert.equal(status, 200);
  assert.equal(claimed.url, notes.url);

  await berth.setClock(2 * hour);
  await until('the unclaimed deployment is removed', async () => (await berth.visit(fleeting.url)).status === 410);
  // The same answer to the letter: the same container, started once, with the same data.
  assert.equal((await berth.visit(notes.url)).text, before);
  const { body } = await berth.get(`/getReservations?sessionToken=${notes.sessionToken}`);
  assert.deepEqual([body.reservedDeployments[0].url, body.reservedDeployments[0].expiresAt], [notes.url, undefined]);
});

test('a reservation is refused on the plan "free", accepted on "pro", and removed with its site', async () => {
  const application = { applicationName: 'notes', sessionToken: notes.sessionToken };
  const refused = await berth.postJson('/addDeploymentReservation', application);
  assert.deepEqual([refused.status, refused.body.code], [500, 'plan_does_not_allow_reservations']);

  const { stdout } = await berthAdmin('plan', 'ada@example.com', 'pro');
  assert.match(stdout, /has the plan pro instead of free; deployments changed: 1/);
  const { body } = await ask('GET', '/api/account');
  assert.equal(body.tier.name, 'pro');
  const added = await berth.postJson('/addDeploymentReservation', application);
  assert.deepEqual(added.body, { message: 'Application notes reservation has been added.' });
  assert.equal((await berth.visit(notes.url)).status, 200);

  const removed = await ask('POST', '/removeDeploymentReservation', { applicationName: 'notes' });
  assert.match(
    removed.body.message,
    /has been removed\. Application site will be removed within the next 10 minutes\.$/,
  );
  await until('the site is gone', async () => (await berth.visit(notes.url)).status === 410);
  assert.equal((await berth.get(`/getReservations?sessionToken=${notes.sessionToken}`)).status, 404);
  await until('nothing is left', async () => (await berth.inventory()).owned.length === 0);
});

test('an API key deploys, lists and removes through the edge', async () => {
  const { body: key } = await ask('POST', '/api/keys', { name: 'script' });
  const headers = { authorization: `Bearer ${key.key}`, 'content-type': 'text/x-yaml' };
  const started = await berth.visit(`${origin()}/startUserDeployment`, { method: 'POST', headers, body: notesYaml });
  assert.deepEqual([started.status, started.body.claim], [200, { claimed: true }]);
  const { body } = await berth.get('/getReservations', headers);
  assert.deepEqual(
    body.reservedDeployments.map(({ url }: { url: string }) => url),
    [started.body.url],
  );
  const { stdout } = await berthAdmin('deployments', '--json');
  assert.equal(JSON.parse(stdout).deployments.at(-1).email, 'ada@example.com');
  const removed = await berth.visit(`${origin()}/removeDeploymentReservation`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ applicationName: 'notes' }),
  });
  assert.equal(removed.status, 200);
  assert.ok(!berth.log().includes(key.key) && !berth.log().includes('ada@example.com'));
});
