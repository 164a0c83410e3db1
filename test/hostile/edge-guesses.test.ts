/** Sites of a known application are found by trying its environments: how many a client can try. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openWorld, plain, statusOf, type World } from './edge-world.ts';

/** Longer than any machine takes for these tests. */
const guessRate = { count: 5, windowMs: 3_600_000 };
const networkPool = '127.200.0.0/13';

let world: World;
before(async () => {
  world = await openWorld({ guessRate, networkPool });
});
after(() => world.end());

let tried = 0;
const guess = async (from: string) => statusOf(await world.send(plain(`word-${++tried}-shop.test`, '/'), from));
const visit = async (host: string, from: string, headers: string[] = []) => {
  const answer = await world.send(plain(host, '/', headers), from);
  return { status: statusOf(answer), answer };
};

test('a client that tries environments is refused after a few, without a request to a site', async () => {
  const client = '127.0.0.20';
  const before = world.lookedUp.length;
  const statuses: string[] = [];
  for (let count = 0; count < 20; count++) statuses.push(await guess(client));
  assert.deepEqual(statuses, [...Array(6).fill('404'), ...Array(14).fill('429')]);
  assert.equal(world.lookedUp.length - before, 6);
});

test('a burst of guesses is no more than those that may be under way at a time', async () => {
  const before = world.lookedUp.length;
  const statuses = await Promise.all(Array.from({ length: 250 }, () => guess('127.0.0.21')));
  assert.ok(statuses.filter((status) => status === '429').length >= 239, `${statuses}`);
  assert.ok(world.lookedUp.length - before <= 2 * guessRate.count + 1, `${world.lookedUp.length - before}`);
});

test('serving does not reveal a live site: the client reaches only those that it has visited', async () => {
  const client = '127.0.0.22';
  assert.equal((await visit('attacker.test', client)).status, '200');
  for (let count = 0; count < 10; count++) await guess(client);
  assert.equal((await visit('victim.test', client)).status, '429');
  assert.equal((await visit('attacker.test', client)).status, '200');
  assert.equal((await visit('victim.test', '127.0.0.23')).status, '200', 'another client notices nothing');
});

test('the refusal is an Error object for programs and a page for people', async () => {
  const client = '127.0.0.24';
  for (let count = 0; count < 10; count++) await guess(client);
  const { answer } = await visit('victim.test', client);
  assert.match(answer, /\r\nretry-after: 60\r\n/i);
  assert.deepEqual(Object.keys(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))), ['error', 'code', 'hint']);
  const page = await visit('victim.test', client, ['Accept: text/html']);
  assert.match(
    page.answer,
    /^HTTP\/1\.1 429 [\s\S]*content-security-policy: default-src 'none'[\s\S]*<!doctype html>/i,
  );
});

test('who watches a deploy goes on seeing it, and the API answers', async () => {
  const client = '127.0.0.25';
  world.states.set('mine.test', { applicationName: 'mine', environment: 'calm-otter', state: 'deploying' });
  assert.equal((await visit('mine.test', client)).status, '503');
  for (let count = 0; count < 10; count++) await guess(client);
  assert.equal((await visit('mine.test', client)).status, '503');
  assert.equal(statusOf(await world.send(plain('localhost', '/healthz'), client)), '200');
});

test('the containers of one deployment guess as one client, and those of another one are another', async () => {
  for (let last = 1; last <= 6; last++) assert.equal(await guess(`127.200.0.${last}`), '404');
  assert.equal(await guess('127.200.0.100'), '429');
  assert.equal(await guess('127.200.0.130'), '404');
});
