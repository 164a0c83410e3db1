import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createExportSlots } from './export-endpoint.ts';

const stranger = (address: string) => ({ accountId: null, client: address });

test('an account, a client address without one and a deployment have one export each', () => {
  const places = createExportSlots();
  const leave = places.take('a', stranger('192.0.2.1'));
  assert.equal(typeof leave, 'function');
  assert.notEqual(typeof places.take('b', stranger('192.0.2.1')), 'function');
  assert.notEqual(typeof places.take('a', stranger('192.0.2.2')), 'function');
  assert.equal(typeof places.take('c', { accountId: 'ada', client: '192.0.2.1' }), 'function');
  assert.notEqual(typeof places.take('d', { accountId: 'ada', client: '192.0.2.3' }), 'function');
  (leave as () => void)();
  assert.equal(typeof places.take('b', stranger('192.0.2.1')), 'function');
});

test('all strangers together leave a place to accounts, and all together have a bound', () => {
  const places = createExportSlots();
  const taken = [1, 2, 3, 4].map((at) => typeof places.take(`of-${at}`, stranger(`192.0.2.${at}`)));
  assert.deepEqual(taken, ['function', 'function', 'function', 'object']);
  assert.equal(typeof places.take('ada', { accountId: 'ada', client: '192.0.2.1' }), 'function');
  const refused = places.take('bob', { accountId: 'bob', client: '192.0.2.1' });
  assert.ok(typeof refused === 'object' && refused.retryAfterSeconds);
});
