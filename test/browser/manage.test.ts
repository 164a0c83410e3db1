/** Actions on a running deployment: restart a pod, copy the address of its database, stop and start. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser, widthsHere } from './browser.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser({ BERTH_ENGINE: 'memory', BERTH_DISK_FREE: '1Mi' });
});
after(async () => await browser.close());

const yaml = `application:
  name: managed
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
      vars: { DATABASE_URL: "postgresql://shop:secret@db.pod:5432/shop" }
    - name: db
      image: postgres:15
      servicePorts: [5432]
      vars: { POSTGRES_USER: shop, POSTGRES_PASSWORD: secret, POSTGRES_DB: shop }
      volumes: [{ name: data, size: 16Mi, mountPath: /var/lib/postgresql/data }]
`;

for (const width of widthsHere('phone', 'desk')) {
  test(`a pod is restarted, its database's URL is copied, and all is stopped and started again (${width})`, async () => {
    const visitor = await browser.visitor('manage', width);
    const { page, context } = visitor;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await visitor.deployText(yaml, 'db');
    await visitor.reach('running');

    const manage = page.getByRole('button', { name: 'Manage' });
    await manage.click();
    const dialog = page.getByRole('dialog', { name: 'Pods of managed' });
    const copy = dialog.getByRole('button', { name: /^Copy the database URL/ });
    assert.equal(await copy.getAttribute('aria-label'), 'Copy the database URL of db');
    await copy.click();
    assert.equal(
      await page.evaluate(() => navigator.clipboard.readText()),
      'postgresql://shop:secret@db.pod:5432/shop',
    );
    await visitor.lookInBothThemes('dialog');
    await dialog.getByRole('button', { name: 'Restart web' }).click();
    await page.waitForSelector('.toast >> text=web is restarting.');
    await visitor.openTab('Events');
    await page.waitForSelector('.events >> text=Restart of web requested');
    await visitor.reach('running');
    await visitor.openTab('Overview');
    await page.waitForSelector('.journey h2 >> text=/^Live/');

    await manage.click();
    await dialog.getByRole('button', { name: 'Stop all pods' }).click();
    await page.waitForSelector('.deployment-header .badge.stopped');
    await page.waitForSelector('.notice >> text=It is stopped');
    await visitor.lookInBothThemes('stopped');
    const site = (await page.locator('.address a').getAttribute('href'))!;
    assert.match(await visitor.visit(site), /managed is stopped/);
    await page.goto('/deployments');
    await page.waitForSelector('.deployment-rows .badge.stopped');
    await page.goBack();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await visitor.reach('running');
    await page.waitForSelector('.journey h2 >> text=/^Live/');
    await visitor.close();
  });
}
