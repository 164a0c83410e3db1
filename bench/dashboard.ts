/**
 * `npm run bench:dashboard`: what the first view of the dashboard takes in a browser whose processor is slowed four times,
 * and the longest task while a document of thirty pods is checked and drawn, with the engine in memory; then what a log
 * of fifty thousand lines takes, of a real container.
 */
import type { CDPSession, Page } from 'playwright-core';
import { startChromium } from '../test/browser/chromium.ts';
import { createBerth } from '../test/scenarios/berth.ts';
import { measureLongLog } from './long-log.ts';
import { median } from './statistics.ts';
import { longestTaskOf, type PageMetrics, pageMetrics, watchPage } from './watched-page.ts';

const rounds = 5;
const slowedBy = 4;

const berth = await createBerth({ BERTH_ENGINE: 'memory', BERTH_DISK_FREE: '1Mi' });
try {
  await berth.serve();
  const chromium = await startChromium(berth.settings.port);
  try {
    const views: PageMetrics[] = [];
    const pictures: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const context = await chromium.browser.newContext({ viewport: { width: 1440, height: 900 } });
      const page = await context.newPage();
      const session = await context.newCDPSession(page);
      views.push(await openSlowed(page, session));
      pictures.push(await drawThirtyPods(page));
      await context.close();
    }
    const of = (key: keyof PageMetrics) => views.map((view) => view[key]);
    console.log(`first view, processor slowed ${slowedBy} times, median (worst) of ${rounds}:`);
    console.log(`  largest contentful paint   ${print(of('paintedMs'))} ms`);
    console.log(`  layout shift               ${Math.max(...of('shift')).toFixed(4)} at most`);
    console.log(`  longest task               ${print(of('longestTaskMs'))} ms`);
    console.log(`thirty pods, processor as it is: longest task ${print(pictures)} ms (0: none above 50 ms)`);
  } finally {
    await chromium.close();
  }
} finally {
  await berth.destroy();
}

for (const rate of [1, slowedBy]) {
  console.log(`fifty thousand lines of a pod, processor slowed ${rate} times, longest task (0: none above 50 ms):`);
  for (const [action, longestMs] of await measureLongLog(rate))
    console.log(`  ${action.padEnd(36)} ${Math.round(longestMs)} ms`);
}

async function openSlowed(page: Page, session: CDPSession): Promise<PageMetrics> {
  await watchPage(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowedBy });
  await page.goto(berth.settings.baseUrl.origin);
  await page.waitForSelector('.picture .pod-box');
  await page.waitForSelector('.problems .valid');
  const seen = await pageMetrics(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  return seen;
}

async function drawThirtyPods(page: Page): Promise<number> {
  return await longestTaskOf(page, async () => {
    const file = { name: 'a.yaml', mimeType: 'text/yaml', buffer: Buffer.from(thirtyPods()) };
    await page.setInputFiles('input[type=file]', file);
    await page.waitForSelector('.picture .pod-box >> text=service-29');
    await page.locator('.cm-line').first().click();
    await page.keyboard.press('End');
    await page.keyboard.type(' # a few words', { delay: 60 });
    await page.getByRole('button', { name: 'Fit', exact: true }).click();
  });
}

function print(values: readonly number[]): string {
  return `${Math.round(median([...values]))} (${Math.round(Math.max(...values))})`;
}

function thirtyPods(): string {
  const pods = Array.from({ length: 30 }, (_, index) => {
    const uses = index < 20 ? `      dependsOn: [service-${index + 10}]\n` : '';
    const path = index < 10 ? `      path: /${index}\n` : '';
    return `    - name: service-${index}\n      image: nginx:1\n      servicePorts: [80]\n${path}${uses}`;
  });
  return `application:\n  name: thirty\n  pods:\n${pods.join('')}`;
}
