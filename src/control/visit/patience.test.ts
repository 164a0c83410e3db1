import assert from 'node:assert/strict';
import { test } from 'node:test';
import { images, shopOnMemory, withWeb } from '../../../test/support/controlled-deployment.ts';
import { eventsAfter } from '../../store/events.ts';

test('a pod that listens elsewhere is reported at once, and fails after 10 s without another change', async () => {
  const shop = await shopOnMemory(withWeb('elsewhere:1'), {
    ...images,
    'elsewhere:1': { program: () => ({ ports: [81] }) },
  });
  await shop.visit();
  const events = await eventsAfter(shop.control.db, 'shop', 0, 1000);
  const why = /^listens on 81, not on 80/;
  const toldAt = events.find((event) => event.kind === 'pod' && event.pod === 'web' && why.test(event.because!))!.at;
  const failedAt = events.find(
    (event) => event.kind === 'state' && event.state === 'failed' && why.test(event.because),
  )!.at;
  const startedAt = events.find(
    (event) => event.kind === 'operation' && event.operation === 'start' && event.pod === 'web',
  )!.at;
  assert.deepEqual([toldAt - startedAt, failedAt - toldAt], [0, 10_000]);
});

test('a crash keeps its own patience: five restarts, however short they are', async () => {
  const shop = await shopOnMemory(withWeb('bad:1'), images);
  await shop.visit();
  const { message } = await shop.deployment();
  assert.match(message, /^pod web: crash loop, restarted [5-9] times, exited with code 3/);
});

test('a clock that is set forward between a look and its record does not shorten the patience', async () => {
  const hour = 3_600_000;
  const shop = await shopOnMemory(withWeb('elsewhere:1'), {
    ...images,
    'elsewhere:1': { program: () => ({ ports: [81] }) },
  });
  const { disk } = shop.control;
  let isStuck = false;
  let isAhead = false;
  const set = (ahead: boolean) => {
    if (ahead !== isAhead) shop.clock.pass(ahead ? hour : -hour);
    isAhead = ahead;
  };
  shop.control.disk = {
    ...disk,
    learn: (...of) => {
      set(isStuck);
      disk.learn(...of);
    },
  };
  let looks = 0;
  await shop.visit((engine) => {
    const { observe, change } = engine;
    engine.observe = async (...of) => {
      const observed = await observe(...of);
      isStuck = observed.workloads.some(({ stuck }) => stuck);
      return observed;
    };
    engine.change = (...of) => {
      looks++;
      set(false);
      return change(...of);
    };
  });
  assert.match((await shop.deployment()).message, /^pod web: listens on 81, not on 80, unchanged for 10 s/);
  const { explanation } = await shop.deployment();
  const advice = explanation?.kind === 'failed' && explanation.advice;
  assert.deepEqual(advice, { kind: 'use-port', pod: 'web', port: 81, instead: 80 });
  assert.ok(looks > 3, `it was waited ${looks} times`);
});
