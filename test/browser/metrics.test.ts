/**
 * The dashboard's current figures: resource usage of pods and requests of the site, next to the steps of the
 * deployment.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../scenarios/berth.ts';
import { openBrowser, type TestBrowser, widthsHere } from './browser.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser({ BERTH_ENGINE: 'memory' });
});
after(async () => await browser.close());

const yaml = `application:
  name: measured
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
      resources: { limits: { cpu: 500m, memory: 256Mi } }
    - name: db
      image: postgres:15
      servicePorts: [5432]
      vars: { POSTGRES_PASSWORD: not-a-secret }
      volumes: [{ name: data, size: 1Gi, mountPath: /var/lib/postgresql/data }]
`;

for (const width of widthsHere('desk', 'phone')) {
  test(`once live its steps fold, and charts show the usage of its pods and the requests to its site (${width})`, async () => {
    const visitor = await browser.visitor('metrics', width);
    const { page } = visitor;
    await visitor.deployText(yaml, 'db');
    await visitor.reach('running');
    const host = (await page.evaluate(() => location.pathname)).split('/').slice(2, 4).join('-');
    const site = `http://${host}.${browser.berth.settings.appsDomain}:${browser.berth.settings.port}/`;
    // How long it took follows from its events, which come by a way of their own.
    const summary = page.locator('.journey summary', { hasText: /^Live after \d/ });
    await summary.waitFor();
    assert.equal(await page.locator('.steps').isVisible(), false);
    await summary.click();
    assert.match(await page.locator('.steps').innerText(), /Configuration accepted/);
    await summary.click();

    const chart = (part: string, title: string) =>
      page.locator(`.metrics section[aria-label="${part}"] .chart`, { hasText: title });
    const words = async (part: string, title: string) =>
      (await chart(part, title).locator('svg').getAttribute('aria-label')) ?? '';
    await until('its requests are in a line', async () => {
      await browser.berth.visit(site);
      return /all [\d.]+\/s now/.test(await words('Site', 'Requests').catch(() => '')) || undefined;
    });
    await until('its processor is in a line', async () => {
      return /^Processor: [\d.]+ % now, .*limit 0\.5 cores$/.test(await words('Pod web', 'Processor')) || undefined;
    });
    assert.match(await words('Pod web', 'Memory'), /^Memory: [\d.]+ MiB now, .*limit 256 MiB$/);
    assert.match(await words('Pod db', 'Network'), /^Network: in .*\/s now.*out .*\/s now/);
    assert.match(await words('Site', 'Answers begin'), /p50 [\d.]+ m?s now.*p95/);
    assert.match(await page.locator('.metrics section[aria-label="Pod db"] .life').innerText(), /^up \d.*no restarts/);

    const volume = page.locator('.metrics section[aria-label="Pod db"] .meter');
    assert.match(await volume.innerText(), /^Volume data\s+[\d.]+ B of 1 GiB \(0 %\)$/);

    // Pointing at a line shows its value and time.
    const plot = chart('Pod web', 'Memory').locator('.plot');
    await plot.scrollIntoViewIfNeeded();
    const box = (await plot.boundingBox())!;
    await page.mouse.move(box.x + box.width - 1, box.y + box.height / 2);
    assert.match(await chart('Pod web', 'Memory').locator('figcaption').innerText(), /MiB\s.*\bat \d\d:\d\d/);
    await page.mouse.move(1, 1);
    await visitor.lookInBothThemes('metrics');
    await visitor.load(await page.evaluate(() => location.pathname), '.metrics .chart');
    await visitor.close();
  });
}
