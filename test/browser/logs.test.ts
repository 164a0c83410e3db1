/** Logs that are longer than a page: what was written before can be loaded, and is found by a search. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser, type Width } from './browser.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser();
});
after(async () => await browser.close());

const lineCount = 20_000;
const yaml = `application:
  name: talkative
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: node /app/server.mjs
      files:
        - path: /app/server.mjs
          content: |
            import { createServer } from 'node:http';
            const told = (number) => (number === 7 ? 'ERROR: the needle was dropped' : 'line ' + number);
            for (let number = 1; number <= ${lineCount}; number++) console.log(told(number));
            createServer((request, response) => response.end('ok')).listen(3000);
    - name: quiet
      image: nginx:1
      servicePorts: [80]
`;

for (const width of ['desktop', 'phone'] as const satisfies Width[]) {
  test(`a line far back is found by a search, and earlier lines are loaded (${width})`, async () => {
    const visitor = await browser.visitor('logs', width, width === 'phone' ? 'dark' : 'light');
    const { page } = visitor;
    await visitor.start();
    await page.setInputFiles('input[type=file]', { name: 'a.yaml', mimeType: 'text/yaml', buffer: Buffer.from(yaml) });
    await page.waitForSelector('.picture .pod-box >> text=quiet');
    await visitor.deploy();
    await visitor.reach('running');
    await visitor.openTab('Logs');
    const last = `line ${lineCount}`;
    await page.waitForSelector(`.lines >> text="${last}"`);

    await page.getByLabel('Search in the logs').fill('needle');
    await page.waitForSelector('.lines .error >> text=was dropped');
    await page.waitForSelector('.logs .tools >> text=1 line found');
    await visitor.look('found');
    await page.reload();
    await page.waitForSelector('.lines .error >> text=was dropped');
    await page.getByLabel('Search in the logs').fill('no line says so');
    await page.waitForSelector('.lines >> text=No line matches.');
    await page.getByLabel('Search in the logs').fill('');

    await page.waitForSelector(`.lines >> text="${last}"`);
    const lines = page.locator('.lines .block p');
    const before = await lines.count();
    await page.locator('.lines').press('Home');
    await page.getByRole('button', { name: 'Load earlier lines' }).click();
    await page.waitForFunction((count) => document.querySelectorAll('.lines .block p').length > count, before);
    const numbers = (await lines.allTextContents()).flatMap((text) => /line (\d+)/.exec(text)?.[1] ?? []).map(Number);
    assert.deepEqual(
      numbers,
      Array.from({ length: numbers.length }, (_, index) => lineCount - numbers.length + 1 + index),
      'each line once, without a gap',
    );
    await visitor.look('earlier');
    await page.getByRole('button', { name: /Follow/ }).click();
    await page.waitForFunction((count) => document.querySelectorAll('.lines .block p').length === count, before);
    await visitor.close();
  });
}
