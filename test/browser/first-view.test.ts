/** The start as it is first seen, on a slow processor, and the documents that it leads to. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser, widthsHere } from './browser.ts';
import { shiftsOf } from './shifts.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser({ BERTH_ENGINE: 'memory', BERTH_DISK_FREE: '1Mi' });
});
after(async () => await browser.close());

for (const width of widthsHere('phone', 'desk')) {
  test(`the text is painted before the editor is requested, and nothing moves when it comes (${width})`, async () => {
    const visitor = await browser.visitor('first-view', width);
    const { page, context } = visitor;
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 12 });
    await visitor.start();
    const { paintedAt, askedAt } = await page.evaluate(() => {
      const requested = performance
        .getEntriesByType('resource')
        .filter(({ name }) => /\/assets\/(editor|view)-/.test(name))
        .map(({ startTime }) => startTime);
      const [painted] = performance.getEntriesByName('first-contentful-paint');
      return { paintedAt: painted!.startTime, askedAt: requested };
    });
    assert.ok(askedAt.length >= 2, 'the editor is among what was loaded');
    for (const at of askedAt) assert.ok(at > paintedAt, `requested at ${at}, painted at ${paintedAt}`);
    const { sum, each } = await shiftsOf(page);
    assert.ok(sum < 0.001, `the page moved by ${sum}\n${each}`);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    await visitor.look('start');
    await visitor.close();
  });
}
