/** Notifications of an account: chosen on its page, with a webhook that is tested there. */
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
  });
});
after(async () => await browser.close());

for (const width of widthsHere('phone', 'desk')) {
  test(`a webhook is added with its secret, tested, shows the result, and is removed (${width})`, async () => {
    const visitor = await browser.visitor('notifications', width);
    const { page } = visitor;
    await page.goto('/sign-up');
    await signUp(visitor, `ada-${width}@example.com`);
    await page.waitForURL(/deployments$/);
    await visitor.load('/account', '[aria-label="Notifications"] >> text=This server does not send email');
    await visitor.lookInBothThemes('none');
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    await page.getByLabel('Address').fill('https://127.0.0.1/hook');
    await visitor.lookInBothThemes('add');
    await page.getByRole('button', { name: 'Add it' }).click();
    assert.match(await page.locator('.secret code').innerText(), /^berthhook_[\w-]{32}$/);
    await visitor.lookInBothThemes('secret');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.waitForSelector('.webhook >> text=Nothing has been sent yet');
    await page.getByRole('button', { name: 'Send a test' }).click();
    // No address of this machine is ever connected to.
    await page.waitForSelector('.webhook >> text=127.0.0.1 is not on the public internet.');
    const box = page.getByLabel('A snapshot fails: by webhook');
    await box.uncheck();
    await page.waitForSelector('.toast >> text=Saved');
    await page.reload();
    await page.waitForSelector('.webhook');
    assert.equal(await box.isChecked(), false);
    assert.equal(await page.getByLabel('A deployment fails: by webhook').isChecked(), true);
    await visitor.lookInBothThemes('tried');
    await page.getByRole('button', { name: 'Remove webhook' }).click();
    await page.getByRole('button', { name: 'Add a webhook' }).waitFor();
    await visitor.close();
  });
}
