/** The account page: name, address, password, and signed-in browsers. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startMailServer } from '../accounts/mail-server.ts';
import { openBrowser, type TestBrowser, widthsHere } from './browser.ts';
import { password, signIn, signUp } from './sign-up.ts';

let browser: TestBrowser;
let server: Awaited<ReturnType<typeof startMailServer>>;
before(async () => {
  server = await startMailServer();
  browser = await openBrowser({
    BERTH_ENGINE: 'memory',
    BERTH_DISK_FREE: '1Mi',
    BERTH_CLIENT_LIMITS: 'sign-ins=1000/m',
    BERTH_SMTP_URL: server.url.href,
    BERTH_MAIL_FROM: 'berth@example.com',
  });
});
after(async () => {
  await browser.close();
  await server.close();
});

for (const width of widthsHere('phone', 'desk')) {
  test(`an account gets another name, address and password, and signs out other browsers (${width})`, async () => {
    const email = `ada-${width}@example.com`;
    const next = `lovelace-${width}@example.com`;
    const visitor = await browser.visitor('profile', width);
    const { page } = visitor;
    await page.goto('/sign-up');
    await signUp(visitor, email);
    await page.waitForSelector('h1 >> text=Check your mail');
    await page.goto((await server.linkTo(email)).href);
    await page.locator('.empty').getByRole('link', { name: 'Sign in' }).click();
    await signIn(visitor, email);
    await page.waitForURL(/deployments$/);
    const elsewhere = await browser.visitor('profile-elsewhere', 'phone');
    const third = await browser.visitor('profile-third', 'phone');
    for (const other of [elsewhere, third]) {
      await other.page.goto('/sign-in');
      await signIn(other, email);
      await other.page.waitForURL(/deployments$/);
    }

    await visitor.load('/account', '[aria-label="Profile"] >> text=Ada Lovelace');
    const browsers = page.locator('[aria-label="Signed-in browsers"] li');
    await browsers.nth(2).waitFor();
    await visitor.lookInBothThemes('account');

    await page.getByRole('button', { name: 'Change: name' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Augusta Ada King');
    await visitor.lookInBothThemes('name');
    await page.getByRole('button', { name: 'Change the name' }).click();
    await page.waitForSelector('[aria-label="Profile"] >> text=Augusta Ada King');

    await page.getByRole('button', { name: 'Change: e-mail' }).click();
    await page.getByLabel('New e-mail').fill(next);
    await page.getByLabel('Current password').fill('not the password');
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.waitForSelector('dialog .notice >> text=not your current password');
    await visitor.complains(/400/);
    await visitor.lookInBothThemes('email');
    await page.getByLabel('Current password').fill(password);
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.waitForSelector(`dialog >> text=${next}`);
    await visitor.lookInBothThemes('email-sent');
    const link = await server.linkTo(next);
    assert.ok(await server.linkTo(email), 'the present address gets a mail');

    // Another person who has received the mail.
    const stranger = await browser.visitor('profile-stranger', width);
    await stranger.page.goto(link.href);
    await stranger.page.waitForSelector('h1 >> text=Sign in to confirm your new address');
    await stranger.lookInBothThemes('sign-in-first', /401/);
    await stranger.close();

    await page.goto(link.href);
    await page.waitForSelector(`.empty >> text=You are signed in as ${next}`);
    await visitor.lookInBothThemes('email-verified');
    await page.getByRole('link', { name: 'Your account' }).click();
    await page.waitForSelector(`[aria-label="Profile"] >> text=${next}`);

    await page
      .getByRole('button', { name: /^Sign out Chrome on / })
      .first()
      .click();
    await browsers.nth(2).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Sign out all others' }).click();
    await page.waitForSelector('.toast >> text=All other browsers were signed out');
    await browsers.nth(1).waitFor({ state: 'detached' });
    for (const other of [elsewhere, third]) {
      await other.page.goto('/account');
      await other.page.waitForURL(/sign-in/);
      await other.close();
    }

    await page.getByRole('button', { name: 'Change: password' }).click();
    await page.getByLabel('Current password').fill(password);
    await page.getByLabel('New password').fill('yet another long password');
    await visitor.lookInBothThemes('password');
    await Promise.all([
      page.waitForSelector('.toast >> text=Your password was changed'),
      page.getByRole('button', { name: 'Change the password' }).click(),
    ]);
    await visitor.look('changed');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(visitor, next, 'yet another long password');
    await page.waitForURL(/deployments$/);
    await visitor.close();
  });
}
