import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forget, mayRun, type Remembered, readRemembered, remember, withEnd } from './list.ts';

const deployment = (environment: string): Remembered => ({
  applicationName: 'shop',
  environment,
  url: `http://${environment}-shop.localhost:8080`,
  sessionToken: `berth_${environment}`,
  startedAt: '2026-01-01T12:00:00.000Z',
});

test('the newest deployment is first, and each is listed once', () => {
  const list = [deployment('b'), deployment('a')].reduceRight<Remembered[]>(remember, []);
  assert.deepEqual(
    remember(list, deployment('a')).map(({ environment }) => environment),
    ['a', 'b'],
  );
});

test('above the limit, the oldest deployments are forgotten', () => {
  const list = Array.from({ length: 25 }, (_, index) => deployment(`e${index}`)).reduce<Remembered[]>(remember, []);
  assert.deepEqual([list.length, list[0]!.environment, list.at(-1)!.environment], [20, 'e24', 'e5']);
});

test('a deployment is forgotten by its environment and name', () => {
  assert.deepEqual(forget([deployment('a'), deployment('b')], deployment('a')), [deployment('b')]);
});

test('ended deployments are requested only while they can be restored', () => {
  const now = Date.parse('2026-01-01T12:00:00.000Z');
  const list = [deployment('a'), deployment('b')];
  const may = (list: readonly Remembered[]) =>
    list.filter((one) => mayRun(one, now)).map(({ environment }) => environment);
  const ended = withEnd(list, deployment('a'), true);
  assert.deepEqual(may(ended), ['a', 'b'], 'until when is not known yet');
  const kept = withEnd(ended, deployment('a'), true, '2026-01-01T13:00:00.000Z');
  assert.deepEqual([may(kept), kept[0]!.hasEnded], [['a', 'b'], true]);
  for (const until of ['2026-01-01T11:00:00.000Z', '']) {
    assert.deepEqual(may(withEnd(kept, deployment('a'), true, until)), ['b'], until);
  }
  assert.deepEqual(withEnd(kept, deployment('a'), false), [{ ...deployment('a'), hasEnded: false }, deployment('b')]);
  assert.equal(withEnd(kept, deployment('a'), true), kept, 'what is known stays');
  assert.equal(withEnd(list, deployment('a'), false), list);
  assert.equal(withEnd(list, deployment('elsewhere'), true), list);
});

test('foreign entries in the storage are left out', () => {
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
