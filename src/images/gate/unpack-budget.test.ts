import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ImageFault } from '../image-fault.ts';
import { createUnpackBudget } from './unpack-budget.ts';

const requested = { image: 'r.example/a:1', registry: 'r.example', hasLogin: false };

test('a budget holds for an hour and for each client, and Berth itself has none', () => {
  let uptime = 0;
  const budget = createUnpackBudget(100, () => uptime);
  const isRefused = (payer: string) => {
    try {
      budget.check({ payer, context: requested });
      return false;
    } catch (error) {
      assert.ok(error instanceof ImageFault && error.kind === 'over-budget');
      return error.hint;
    }
  };
  budget.spend('client', 100);
  budget.spend('', 1_000);
  assert.deepEqual([isRefused('client'), isRefused('')], [false, false]);
  budget.spend('client', 1);
  uptime = 1_800_000;
  assert.equal(isRefused('client'), 'Berth continues in about 30 min; smaller images take less');
  assert.equal(isRefused('another'), false);
  uptime = 3_600_000;
  assert.equal(isRefused('client'), false);
});
