import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { webYaml } from './applications.ts';
import { type Berth, createBerth, manyRequests, type Started, until } from './berth.ts';

let berth: Berth;
let mine: Started;
let theirs: Started;
before(async () => {
  berth = await createBerth();
  await berth.serve();
  mine = await berth.start(webYaml('app', 'mine'));
  theirs = await berth.start(webYaml('app', 'theirs'));
  await Promise.all([berth.reach(mine, 'running'), berth.reach(theirs, 'running')]);
});
after(async () => await berth.destroy());

test('two sessions with an application of the same name have sites of their own', async () => {
  assert.notEqual(mine.url, theirs.url);
  assert.match((await berth.visit(mine.url)).text, /^mine/);
  assert.match((await berth.visit(theirs.url)).text, /^theirs/);
});

test('removing what one session has leaves the other alone', async () => {
  const stranger = await berth.start(webYaml('other', 'x'));
  const refused = await berth.postJson('/removeDeploymentReservation', {
    ...mine,
    sessionToken: stranger.sessionToken,
  });
  assert.equal(refused.status, 404);
  await berth.remove(theirs);
  await until('their site is gone', async () => (await berth.visit(theirs.url)).status === 410);
  assert.match((await berth.visit(mine.url)).text, /^mine/);
});

test('neither the log nor the database file holds a session token', async () => {
  await berth.get(`/getReservations?sessionToken=${mine.sessionToken}`);
  assert.ok(!berth.log().includes(mine.sessionToken));
  const { readFile } = await import('node:fs/promises');
  for (const file of ['berth.db', 'berth.db-wal']) {
    const bytes = await readFile(`${berth.settings.dataDir}/${file}`).catch(() => Buffer.alloc(0));
    assert.ok(!bytes.includes(mine.sessionToken), file);
  }
});

test('the client address for the rate limit comes from the edge, not from a header of the client', async () => {
  const limited = await createBerth({ BERTH_CLIENT_LIMITS: `${manyRequests} starts=2/m` });
  try {
    await limited.serve();
    const forge = (address: string) =>
      limited.visit(`http://localhost:${limited.settings.port}/startUserDeployment`, {
        method: 'POST',
        headers: { 'content-type': 'text/x-yaml', 'x-berth-client': address, 'x-forwarded-for': address },
        body: 'not a configuration',
      });
    assert.equal((await forge('192.0.2.1')).status, 400);
    assert.equal((await forge('192.0.2.2')).status, 400);
    const third = await forge('192.0.2.3');
    assert.equal(third.status, 429);
    assert.ok(Number(third.headers['retry-after']) > 0);
  } finally {
    await limited.destroy();
  }
});
