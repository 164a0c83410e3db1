/** Logs that are longer than a page: what was written before can be loaded, and is found by a search. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser, widthsHere } from './browser.ts';

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
            const lineOf = (number) => (number === 7 ? 'ERROR: the needle was dropped' : 'line ' + number);
            for (let number = 1; number <= ${lineCount}; number++) console.log(lineOf(number));
            createServer((request, response) => response.end('ok')).listen(3000);
            setTimeout(() => console.error('the captain grumbles'), 1000);
    - name: quiet
      image: nginx:1
      servicePorts: [80]
`;

for (const width of widthsHere('phone', 'desktop')) {
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
    await page.waitForSelector('.lines [data-stream=stderr] >> text=the captain grumbles');
    await page.getByLabel('Stream').selectOption('stderr');
    await page.waitForFunction(() => document.querySelectorAll('.lines .block p').length === 1);
    assert.match(page.url(), /[?&]stream=stderr$/);
    await page.reload();
    await page.waitForSelector('.lines >> text=the captain grumbles');
    assert.equal(await lines.count(), 1);
    await page.getByLabel('Stream').selectOption('stdout');
    await page.waitForSelector(`.lines >> text="${last}"`);
    assert.equal(await page.locator('.lines >> text=grumbles').count(), 0);
    await page.getByLabel('Stream').selectOption('');
    await page.waitForSelector('.lines [data-stream=stderr] >> text=the captain grumbles');
    await visitor.look('stderr');

    assert.ok((await lines.count()) < 500, 'only lines that are near are in the page');
    const numbersOnPage = async () => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download' }).click(),
      ]);
      const text = await readFile(await download.path(), 'utf8');
      return [...text.matchAll(/ line (\d+)$/gm)].map(([, number]) => Number(number));
    };
    const before = await numbersOnPage();
    const blocks = await page.locator('.lines .block').count();
    await page.locator('.lines').press('Home');
    await page.getByRole('button', { name: 'Load earlier lines' }).click();
    await page.waitForFunction((count) => document.querySelectorAll('.lines .block').length > count, blocks);
    const numbers = await numbersOnPage();
    assert.deepEqual(
      numbers,
      Array.from({ length: numbers.length }, (_, index) => lineCount - numbers.length + 1 + index),
      'each line once, without a gap',
    );
    await visitor.look('earlier');
    await page.getByRole('button', { name: /Follow/ }).click();
    await page.waitForSelector(`.lines >> text="${last}"`);
    assert.deepEqual(await numbersOnPage(), before);
    await visitor.close();
  });
}
