/** Fifty thousand lines of a real container in the dashboard: the longest task of each thing that is done with them. */
import type { Page } from 'playwright-core';
import { openBrowser } from '../test/browser/browser.ts';
import { longestTaskOf, watchPage } from './watched-page.ts';

const lineCount = 50_000;
const followedPerSecond = 1_000;
const followedMs = 5_000;

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
            const say = (text, index) => (index % 50 === 0 ? console.error(text) : console.log(text));
            for (let number = 1; number <= ${lineCount}; number++)
              say('line ' + number + ' GET /shop/cart?of=' + (number % 977) + ' 200 in ' + (number % 83) + ' ms', number);
            let written = 0;
            createServer((request, response) => {
              if (request.url === '/write')
                for (let number = 1; number <= ${followedPerSecond / 20}; number++) say('written ' + ++written + ' GET /shop 200', written);
              response.end('ok');
            }).listen(3000);
    - name: quiet
      image: nginx:1
      servicePorts: [80]
`;

export type LogTasks = ReadonlyMap<string, number>;

/** For each action, the longest task in milliseconds; `slowedBy`: how many times the processor is slowed. */
export async function measureLongLog(slowedBy: number): Promise<LogTasks> {
  const browser = await openBrowser();
  try {
    const visitor = await browser.visitor('bench', 'desk');
    const { page, context } = visitor;
    await watchPage(page);
    await visitor.deployText(yaml, 'quiet');
    await visitor.reach('running');
    const url = await page.locator('.deployment-header a[href^="http"]').first().getAttribute('href');
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowedBy });
    const writeLine = () => browser.berth.visit(`${url}/write`);
    return await measureActions(page, () => visitor.openTab('Logs'), writeLine);
  } finally {
    await browser.close();
  }
}

async function measureActions(
  page: Page,
  openLogs: () => Promise<void>,
  writeLine: () => Promise<unknown>,
): Promise<LogTasks> {
  const lines = page.locator('.lines');
  // The last one to stdout: what goes to stderr comes another way.
  const last = page.locator(`.lines >> text=line ${lineCount - 1} GET`);
  const search = page.getByLabel('Search in the logs');
  const actions: [string, () => Promise<void>][] = [
    [
      'opened',
      async () => {
        await openLogs();
        await last.waitFor();
      },
    ],
    [
      'all lines loaded',
      async () => {
        await lines.press('Home');
        const more = page.getByRole('button', { name: 'Load earlier lines' });
        const row = page.locator('.lines .earlier:not(:has(:disabled))');
        for (await row.waitFor(); await more.isVisible(); await row.waitFor()) await more.click();
      },
    ],
    [
      'scrolled to both ends, and through',
      async () => {
        await lines.press('Home');
        await page.getByText('line 1 GET /shop/cart?of=1 200 in 1 ms', { exact: true }).waitFor();
        await page.evaluate(async () => {
          const frame = document.querySelector('.lines')!;
          for (let step = 0; step < 200; step++) {
            frame.scrollTop += frame.scrollHeight / 220;
            await new Promise((resolve) => requestAnimationFrame(resolve));
          }
        });
        await lines.press('End');
        await lines.press('Home');
      },
    ],
    ['followed, with all lines shown', () => writeFor(followedMs, writeLine)],
    [
      'searched',
      async () => {
        await search.pressSequentially('GET /shop/cart', { delay: 30 });
        await page.locator('.logs .tools >> text=lines found').waitFor();
        await search.fill('');
        await page
          .getByText(/^written \d+ GET/)
          .last()
          .waitFor();
      },
    ],
    [
      'filtered',
      async () => {
        for (const stream of ['stderr', 'stdout', '']) {
          await page.getByLabel('Stream').selectOption(stream);
          await page.waitForTimeout(300);
        }
        for (const pod of ['quiet', 'web', '']) {
          await page.getByLabel('Pod').selectOption(pod);
          await page.waitForTimeout(300);
        }
      },
    ],
    ['followed', () => writeFor(followedMs, writeLine)],
  ];
  const tasks = new Map<string, number>();
  for (const [name, act] of actions) tasks.set(name, await longestTaskOf(page, act));
  return tasks;
}

/** Has the pod write so many lines a second. */
async function writeFor(ms: number, writeLine: () => Promise<unknown>): Promise<void> {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs) {
    await Promise.all([writeLine(), new Promise((resolve) => setTimeout(resolve, 50))]);
  }
}
