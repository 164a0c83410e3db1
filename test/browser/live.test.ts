/** The live moment and the end of a deployment: its address passed on, a status page for others, the last minutes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser, widthsHere } from './browser.ts';
import { signUp } from './sign-up.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser({
    BERTH_ENGINE: 'memory',
    BERTH_DISK_FREE: '1Mi',
    BERTH_CLIENT_LIMITS: 'sign-ins=1000/m',
    BERTH_LIFETIME: '9m',
    BERTH_EXTENSIONS: '2x90m',
    BERTH_TIERS: 'free deployments=9 memory=9Gi lifetime=30d reservations=yes',
  });
});
after(async () => await browser.close());

const yaml = (name: string) => `application:
  name: ${name}
  pods:
    - { name: web, image: "nginx:1", path: /, servicePorts: [80] }
    - { name: worker, image: "nginx:1", servicePorts: [80] }
`;

for (const width of widthsHere('desk', 'phone')) {
  test(`its address is passed on as text and as a QR code, and others see its state by a link until that is revoked (${width})`, async () => {
    const visitor = await browser.visitor('share', width);
    const { page, context } = visitor;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await visitor.deployText(yaml('shared'), 'worker');
    await visitor.reach('running');
    await visitor.look('live');

    await page.getByRole('button', { name: 'Share' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share shared' });
    await dialog.getByRole('img', { name: 'QR code of the address' }).waitFor();
    await dialog.getByRole('button', { name: 'Create a link' }).click();
    await visitor.complains(/404/);
    const link = dialog.locator('.share-status .link');
    await link.waitFor();
    const address = await link.innerText();
    await dialog.getByRole('button', { name: 'Copy the link' }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), address);
    await visitor.lookInBothThemes('dialog');

    const other = await browser.visitor('shared', width);
    await other.load(new URL(address).pathname, '.shared .shared-pods');
    assert.equal(await other.page.locator('.shared h1').innerText(), 'shared');
    assert.deepEqual(await other.page.locator('.shared-pods .badge').allInnerTexts(), ['ready', 'ready']);
    await other.lookInBothThemes('page');
    await dialog.getByRole('button', { name: 'Revoke it' }).click();
    await dialog.getByRole('button', { name: 'Create a link' }).waitFor();
    await other.page.waitForSelector('h1 >> text=This link shows nothing');
    await other.look('revoked', /404/);
    await other.close();
    await visitor.complains(/404/);
    await visitor.close();
  });

  test(`in its last ten minutes the title counts, the browser notifies, and an extension shows what it adds (${width})`, async () => {
    const visitor = await browser.visitor('ending', width);
    const { page, context } = visitor;
    await page.addInitScript(() => {
      const all = globalThis as unknown as { shown: string[]; Notification: unknown };
      all.shown = [];
      const noted = (title: string) => {
        all.shown.push(title);
        return { close() {} };
      };
      const requestPermission = async () => {
        permissions.permission = 'granted';
        return 'granted';
      };
      const permissions = { permission: 'default', requestPermission };
      all.Notification = new Proxy(class {}, {
        construct: (_, [title]) => noted(title as string),
        get: (_, name) => Reflect.get(permissions, name),
      });
    });
    await page.clock.install();
    await visitor.deployText(yaml('ending'), 'worker');
    await visitor.reach('running');
    const counts = () => page.waitForFunction(() => /^\d:\d\d · ending · Berth$/.test(document.title));
    const icon = () => page.locator('link[rel="icon"]').getAttribute('href');
    await counts();
    assert.match((await icon())!, /^data:image\/svg\+xml,.*%3E9%3C/);
    assert.match((await page.locator('.countdown time').getAttribute('title'))!, /\d{4}.*\d:\d\d/);
    await visitor.look('last-minutes');

    await page.getByRole('button', { name: /^Extend \+90 min/ }).click();
    await page.waitForSelector('.toast >> text=Extended');
    await page.waitForFunction(() => /^ending · Berth$/.test(document.title));
    assert.doesNotMatch((await icon())!, /^data:/);
    await page.getByRole('button', { name: 'Notify me' }).click();
    await page.waitForSelector('.toast >> text=You get a notification ten minutes before');
    await visitor.look('extended');
    const reported = () => page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown);
    assert.deepEqual(await reported(), []);
    await page.clock.fastForward(91 * 60_000);
    await counts();
    assert.deepEqual(await reported(), ['ending ends soon']);
    await context.close();
  });
}

test('what is held says until when it would live, and is released again', async () => {
  const visitor = await browser.visitor('held', 'desk');
  const { page } = visitor;
  await visitor.deployText(yaml('held'), 'worker');
  await visitor.reach('running');
  await page.getByRole('button', { name: 'Claim to keep it' }).click();
  await page.getByRole('link', { name: 'Create an account' }).click();
  await signUp(visitor, 'held@example.com');
  await page.getByRole('button', { name: 'Claim it' }).click();
  await page.getByRole('button', { name: 'Hold it' }).click();
  await page.waitForSelector('.lifetime >> text=Held: it stays when its time limit is reached');
  await visitor.lookInBothThemes('held');
  await page.getByRole('button', { name: 'Release it' }).click();
  await page.waitForSelector('.lifetime .countdown');
  await visitor.close();
});
