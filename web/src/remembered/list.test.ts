import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forget, type Remembered, readRemembered, remember, tokensToAsk, withEnd } from './list.ts';

const deployment = (environment: string): Remembered => ({
  applicationName: 'shop',
  environment,
  url: `http://${environment}-shop.localhost:8080`,
  sessionToken: `berth_${environment}`,
  startedAt: '2026-01-01T12:00:00.000Z',
});

test('the newest deployment is first, and each is there once', () => {
  const list = [deployment('b'), deployment('a')].reduceRight<Remembered[]>(remember, []);
  assert.deepEqual(
    remember(list, deployment('a')).map(({ environment }) => environment),
    ['a', 'b'],
  );
});

test('of many deployments the oldest are forgotten', () => {
  const list = Array.from({ length: 25 }, (_, index) => deployment(`e${index}`)).reduce<Remembered[]>(remember, []);
  assert.deepEqual([list.length, list[0]!.environment, list.at(-1)!.environment], [20, 'e24', 'e5']);
});

test('a deployment is forgotten by its environment and name', () => {
  assert.deepEqual(forget([deployment('a'), deployment('b')], deployment('a')), [deployment('b')]);
});

test('a token is asked about until all that was started with it has ended, and again when one is back', () => {
  const list = [deployment('a'), deployment('b'), { ...deployment('c'), sessionToken: 'berth_a' }];
  const aEnded = withEnd(list, deployment('a'), true);
  assert.deepEqual(tokensToAsk(aEnded), ['berth_b', 'berth_a']);
  const bothEnded = withEnd(aEnded, deployment('c'), true);
  assert.deepEqual(tokensToAsk(bothEnded), ['berth_b']);
  assert.deepEqual(tokensToAsk(withEnd(bothEnded, deployment('a'), false)).toSorted(), ['berth_a', 'berth_b']);
  assert.equal(withEnd(list, deployment('a'), false), list);
  assert.equal(withEnd(list, deployment('elsewhere'), true), list);
});

test('what somebody else has written into the storage is left out', () => {
  const strange = [
    null,
    7,
    {},
    { ...deployment('a'), url: 'javascript:alert(1)' },
    { ...deployment('a'), environment: 1 },
  ];
  assert.deepEqual(readRemembered(JSON.stringify([...strange, deployment('b')])), [deployment('b')]);
  for (const text of ['', 'no JSON', '{"a":1}', 'null']) assert.deepEqual(readRemembered(text), []);
});
