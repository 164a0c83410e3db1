/** Ended deployments are retained for a time: the page of a removed deployment restores it, at the same address. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser, widthsHere } from './browser.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser({ BERTH_ENGINE: 'memory', BERTH_DISK_FREE: '1Mi', BERTH_GRACE: '24h' });
});
after(async () => await browser.close());

const yaml = `application:
  name: lasting
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
`;

for (const width of widthsHere('phone', 'desktop')) {
  test(`a deployment that was removed is restored from its page, or forgotten at once (${width})`, async () => {
    const visitor = await browser.visitor('grace', width, width === 'phone' ? 'dark' : 'light');
    const { page } = visitor;
    await visitor.start();
    await page.setInputFiles('input[type=file]', { name: 'a.yaml', mimeType: 'text/yaml', buffer: Buffer.from(yaml) });
    await page.waitForSelector('.picture .pod-box >> text=web');
    await visitor.deploy();
    await visitor.reach('running');
    const site = async () => await page.locator('.deployment-header .address a').getAttribute('href');
    const address = await site();

    const remove = async () => {
      await page.getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('button', { name: 'Remove it with its data' }).click();
      await page.waitForSelector('.empty >> text=lasting was removed');
    };
    await remove();
    await page.waitForSelector('.empty >> text=until then it can be restored, at the same address');
    await visitor.look('removed', /404/);
    await page.getByRole('button', { name: 'Restore' }).click();
    await visitor.reach('running');
    assert.equal(await site(), address);
    await visitor.look('restored', /404/);

    await remove();
    await page.getByRole('button', { name: 'Delete its data …' }).click();
    await page.getByRole('button', { name: 'Delete it now' }).click();
    await page.getByRole('button', { name: /^Forget lasting/ }).waitFor();
    await visitor.look('forgotten', /404/);
    await visitor.close();
  });
}
