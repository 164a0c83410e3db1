import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser, widthsHere } from './browser.ts';
import { signUp } from './sign-up.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser({ BERTH_CLIENT_LIMITS: 'sign-ins=1000/m' });
});
after(async () => await browser.close());

for (const width of widthsHere('phone', 'desktop')) {
  test(`a claim page lists every deployment that it attaches and the permissions of the token; the account ends, widens and replaces it (${width})`, async () => {
    const agent = browser.berth;
    const yaml = await readFile(join(import.meta.dirname, '../../examples/hello.yaml'), 'utf8');
    const { body: hello } = await agent.postYaml('/startUserDeployment', yaml);
    const { sessionToken } = hello;
    const start = (name: string) =>
      agent.postYaml(`/startUserDeployment?sessionToken=${sessionToken}`, yaml.replace('name: hello', `name: ${name}`));
    await start('second');
    const list = (token: string) => agent.get('/getReservations', { authorization: `Bearer ${token}` });
    const { body: link } = await agent.postJson('/claimDeployment', { applicationName: 'hello', sessionToken });

    const visitor = await browser.visitor('tokens', width, width === 'phone' ? 'light' : 'dark');
    const { page } = visitor;
    await page.goto('/sign-up');
    await signUp(visitor, `tokens-${width}@example.com`);
    await page.waitForURL(/deployments$/);
    await page.goto(link.claimUrl);
    await page.waitForSelector('text=The token of the user who started it stays valid');
    assert.deepEqual(await page.locator('.facts dt:text-is("Application") + dd').allInnerTexts(), ['hello', 'second']);
    await visitor.look('claim');
    // Started behind the visitor's back.
    assert.equal((await start('third')).status, 200);
    await page.getByRole('button', { name: 'Claim it' }).click();
    await page.waitForSelector('.notice >> text=third');
    await page.waitForSelector('.facts >> text=third');
    await visitor.complains(/409/);
    await visitor.look('claim-changed');
    await page.getByRole('button', { name: 'Claim it' }).click();
    await page.waitForSelector('.lifetime >> text=Does not expire');

    assert.equal((await list(sessionToken)).status, 200, 'the agent goes on');
    await page.getByRole('link', { name: 'Account' }).click();
    const tokens = page.locator('[aria-label="Session tokens"]');
    await tokens.locator('text=hello, second, third').waitFor();
    await visitor.look('tokens');
    await tokens.getByRole('checkbox').check();
    await tokens.getByRole('button', { name: /^Replace/ }).click();
    const replaced = await page.locator('.secret code').innerText();
    await visitor.look('replaced');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    assert.deepEqual([(await list(sessionToken)).status, (await list(replaced)).status], [404, 200]);
    await tokens.getByRole('button', { name: /^End/ }).click();
    await tokens.locator('text=ended just now').waitFor();
    await visitor.look('ended');
    assert.equal((await list(replaced)).status, 404);
    await page.getByRole('link', { name: 'Deployments' }).click();
    await page.waitForSelector('.deployment-rows >> text=third');
    await visitor.close();
  });
}

test('after a claim that ends its token, the same browser shows the deployment through the account', async () => {
  const visitor = await browser.visitor('ends', 'phone', 'dark');
  const { page } = visitor;
  await visitor.start();
  await visitor.deploy();
  await visitor.reach('running');
  const address = page.url();
  const kept = await page.evaluate(() => localStorage.getItem('berth.deployments'));
  await page.getByRole('button', { name: 'Claim to keep it' }).click();
  await page.getByRole('link', { name: 'Create an account' }).click();
  await signUp(visitor, 'ends@example.com');
  await page.waitForSelector('text=You started this in this browser, and its token keeps working');
  await page.getByLabel(/End the token now/).check();
  await visitor.look('box');
  await page.getByRole('button', { name: 'Claim it' }).click();
  await page.waitForSelector('.lifetime >> text=Does not expire');
  assert.equal(await page.evaluate(() => localStorage.getItem('berth.deployments')), '[]');
  // Another browser of theirs may still have it.
  await page.evaluate((text) => localStorage.setItem('berth.deployments', text ?? ''), kept);
  await page.goto(address);
  await visitor.reach('running');
  await visitor.complains(/404/);
  await visitor.close();
});

test('a claim link that is unknown, and one that another account has used, say what they are', async () => {
  const owner = await browser.visitor('owner', 'desktop');
  await owner.start();
  await owner.deploy();
  await owner.reach('running');
  await owner.page.getByRole('button', { name: 'Claim to keep it' }).click();
  await owner.page.waitForURL(/\/claim\//);
  const link = owner.page.url();
  await owner.page.getByRole('link', { name: 'Create an account' }).click();
  await signUp(owner, 'owner@example.com');
  await owner.page.waitForURL(link);
  await owner.page.getByRole('button', { name: 'Claim it' }).click();
  await owner.page.waitForSelector('.lifetime >> text=Does not expire');
  await owner.page.goto(link);
  await owner.page.waitForSelector('h1 >> text=hello is yours');

  const other = await browser.visitor('other', 'phone');
  assert.equal((await other.page.goto('/sign-up?next=/deployments'))?.status(), 200);
  await signUp(other, 'other@example.com');
  await other.page.waitForURL(/deployments$/);
  for (const [address, status, title] of [
    [link, 409, 'This link has already been used'],
    ['/claim/claim_unknown', 404, 'The claim link does not exist'],
  ] as const) {
    assert.equal((await other.page.goto(address))?.status(), status);
    await other.page.waitForSelector(`h1 >> text=${title}`);
    await other.look(`claim-${status}`, new RegExp(`status of ${status}`));
  }
  await other.close();
  await owner.close();
});
