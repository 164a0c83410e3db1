import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import { testApi } from '../../../test/support/api.ts';

test('a start whose two words are taken gets others', async (t) => {
  const picks = [0, 0, 0, 0, 0, 1];
  t.mock.method(crypto, 'randomInt', () => picks.shift());
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const api = await testApi();
  for (let start = 0; start < 2; start++) await api.startShop();
  assert.deepEqual(picks, []);
  const rows = await api.service.db.selectFrom('deployments').select('environment').distinct().execute();
  assert.equal(rows.length, 2);
});
