/** The message about a service that does not answer: shown once, on every page, and withdrawn automatically. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser, widthsHere } from './browser.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser({ BERTH_ENGINE: 'memory', BERTH_DISK_FREE: '1Mi' });
});
after(async () => await browser.close());

for (const width of widthsHere('desk', 'phone')) {
  test(`a page that is offline says so once, and that it is connected again (${width})`, async () => {
    const visitor = await browser.visitor('connection', width);
    const { page, context } = visitor;
    await visitor.start();
    await visitor.deploy();
    await visitor.reach('running');
    await page.getByRole('link', { name: 'Deployments' }).click();
    await page.waitForSelector('.deployment-rows .badge.running');
    await context.setOffline(true);
    await page.waitForSelector('.reach >> text=You are offline');
    assert.equal(await page.locator('.reach p').count(), 1);
    assert.equal(await page.locator('.notice').count(), 0);
    assert.equal(await page.locator('.deployment-rows .badge.running').count(), 1);
    await visitor.lookInBothThemes('offline', /ERR_INTERNET_DISCONNECTED/);
    await context.setOffline(false);
    await page.waitForSelector('.reach >> text=Connected again');
    await visitor.look('again', /ERR_INTERNET_DISCONNECTED/);
    await page.locator('.reach p').waitFor({ state: 'detached' });
    await visitor.close();
  });

  test(`a slow answer shows a message until it comes (${width})`, async () => {
    const visitor = await browser.visitor('slow', width);
    const { page } = visitor;
    const { promise, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/getTemplates*', async (route) => {
      await promise;
      await route.continue();
    });
    await page.goto('/templates');
    await page.waitForSelector('.reach >> text=slow to answer');
    answer();
    await page.locator('.reach p').waitFor({ state: 'detached' });
    await visitor.look('answered');
    await visitor.close();
  });

  test(`a part of a page that cannot be loaded leaves the rest of it (${width})`, async () => {
    const visitor = await browser.visitor('part', width);
    const { page } = visitor;
    await visitor.start();
    await page.route('**/assets/*', (route) => route.abort());
    await page.getByRole('link', { name: 'Deployments' }).click();
    await page.waitForSelector('[role=alert] >> text=This part of the page could not be loaded');
    await visitor.lookInBothThemes('not-loaded', /ERR_FAILED|dynamically imported|Failed to fetch/);
    await page.unroute('**/assets/*');
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await page.waitForSelector('h1 >> text=Deployments');
    await visitor.close();
  });
}
