import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApi } from '../../../test/support/api.ts';
import { wait } from '../../lib/wait.ts';
import { clientHeader } from './client-address.ts';
import { type CountExchange, createCountExchange } from './count-exchange.ts';

const longest = 200;

/** Several exchanges that notify each other. */
function exchanges(count: number): { all: CountExchange[]; reported: string[] } {
  const reported: string[] = [];
  const all: CountExchange[] = Array.from({ length: count }, (_, own) =>
    createCountExchange(async (text) => {
      reported.push(text);
      for (const [other, exchange] of all.entries()) if (other !== own) exchange.receive(text);
    }, longest),
  );
  return { all, reported };
}

test('a client’s requests to one process count in the others, too', async () => {
  const { all, reported } = exchanges(2);
  const rate = { count: 3, windowMs: 60_000 };
  const [ours, theirs] = await Promise.all(
    all.map((exchange) => testApi({ rate }, undefined, undefined, undefined, { exchange })),
  );
  const headers = { [clientHeader]: '192.0.2.1' };
  for (let time = 0; time < rate.count; time++) await ours!.get('/schema', headers);
  while (reported.length === 0) await wait(5);
  assert.equal((await theirs!.get('/schema', headers)).status, 429);
  const other = { [clientHeader]: '192.0.2.2' };
  assert.equal((await theirs!.get('/schema', other)).status, 200);
});

test('many clients are reported in several texts, none too long, each client with its sum', async () => {
  const { all, reported } = exchanges(2);
  const counted = new Map<string, number>();
  all[1]!.onCounts((limit, key, amount) => counted.set(`${limit} ${key}`, amount));
  const keys = Array.from({ length: 40 }, (_, index) => `192.0.2.${index}`);
  for (const key of [...keys, ...keys]) all[0]!.add('general', key, 2);
  while (counted.size < keys.length) await wait(5);
  assert.ok(keys.every((key) => counted.get(`general ${key}`) === 4));
  assert.ok(reported.length > 1 && reported.every((text) => text.length <= longest));
});

test('a process reports its open streams repeatedly while it is alive, and they are dropped when it is silent', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  let ms = 0;
  const pass = (by: number) => {
    ms += by;
    t.mock.timers.tick(by);
  };
  let isAlive = true;
  const theirs = createCountExchange(
    async () => {},
    longest,
    () => ms,
  );
  const ours = createCountExchange(
    async (text) => void (isAlive && theirs.receive(text)),
    longest,
    () => ms,
  );
  ours.setOpen('client', 1);
  ours.setOpen('client', 2);
  pass(100);
  assert.equal(theirs.openElsewhere('client'), 2);
  for (let time = 0; time < 10; time++) pass(2_000);
  assert.equal(theirs.openElsewhere('client'), 2);
  isAlive = false;
  for (let time = 0; time < 10; time++) pass(2_000);
  assert.equal(theirs.openElsewhere('client'), 0);
});
