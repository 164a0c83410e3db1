/** The list of deployments: as they are now, found, put in order, and removed together. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser, type Visitor, widthsHere } from './browser.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser({
    BERTH_ENGINE: 'memory',
    BERTH_DISK_FREE: '1Mi',
    BERTH_CLIENT_LIMITS: 'starts=100/m',
    BERTH_GRACE: '1h',
  });
});
after(async () => await browser.close());

const yamlOf = (name: string) => `application:
  name: ${name}
  pods: [{ name: web, image: "nginx:1", path: /, servicePorts: [80] }]
`;

type Kept = { applicationName: string; environment: string; url: string; sessionToken: string; startedAt: string };

/** As a start in this browser would be remembered. */
async function deploy(name: string): Promise<Kept> {
  const { status, body } = await browser.berth.postYaml('/startUserDeployment', yamlOf(name));
  assert.equal(status, 200);
  const { applicationName, environment, url, sessionToken } = body;
  return { applicationName, environment, url, sessionToken, startedAt: new Date().toISOString() };
}

async function remember({ page }: Visitor, kept: readonly Kept[]): Promise<void> {
  await page.goto('/templates');
  await page.evaluate((text) => localStorage.setItem('berth.deployments', text), JSON.stringify(kept));
}

const namesIn = async ({ page }: Visitor) => await page.locator('.deployment-rows .name a').allInnerTexts();

for (const width of widthsHere('phone', 'desk')) {
  test(`deployments are listed as they are, found, put in order, and removed together (${width})`, async () => {
    const visitor = await browser.visitor('deployments', width);
    const { page } = visitor;
    // The newest first, as a browser remembers them.
    const kept = [await deploy('blog'), await deploy('chat'), await deploy('shop')].toReversed();
    await remember(visitor, kept);
    await visitor.load('/deployments', '.deployment-rows .badge.running');
    await page.locator('.deployment-rows .badge.running').nth(2).waitFor();
    await visitor.lookInBothThemes('all');

    // Stopped elsewhere: the list says so by itself.
    const { sessionToken } = kept[0]!;
    const stopped = await browser.berth.postJson('/stopApplication', { applicationName: 'shop', sessionToken });
    assert.equal(stopped.status, 200);
    await page.waitForSelector('.deployment-rows .badge.stopped');

    await page.getByLabel('Order').selectOption('name');
    assert.deepEqual(await namesIn(visitor), ['blog', 'chat', 'shop']);
    await page.getByLabel('Search the deployments').fill('o');
    await page.waitForURL(/\?search=o&sort=name$/);
    await page.getByLabel('Search the deployments').fill(`SHOP ${kept[0]!.environment}`);
    await page.waitForSelector('.list-tools >> text=1 of 3 deployments');
    await page.getByLabel('Search the deployments').fill('');
    await page.getByLabel('State').selectOption('stopped');
    await page.reload();
    await page.waitForSelector('.deployment-rows .badge.stopped');
    assert.deepEqual(await namesIn(visitor), ['shop']);
    await page.getByLabel('State').selectOption('deploying');
    await page.waitForSelector('h2 >> text=No deployment matches');
    await visitor.lookInBothThemes('none');
    await page.getByRole('button', { name: 'Show all 3' }).click();

    await page.getByLabel(/^Select shop/).check();
    await page.getByLabel(/^Select blog/).check();
    await visitor.lookInBothThemes('picked');
    await page.getByRole('button', { name: 'Remove 2 selected' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove 2 deployments?' });
    assert.deepEqual(await dialog.locator('li strong').allInnerTexts(), ['blog', 'shop']);
    await visitor.lookInBothThemes('question');
    await Promise.all([
      page.waitForSelector('.toast >> text=2 deployments were removed'),
      dialog.getByRole('button', { name: 'Remove them with their data' }).click(),
    ]);
    await page.locator('.deployment-rows .badge.ended').nth(1).waitFor();
    assert.equal(await page.locator('.deployment-rows .badge.running').count(), 1);
    await visitor.lookInBothThemes('removed');
    await page.getByLabel(/^Select chat/).check();
    await page.getByRole('button', { name: 'Remove 1 selected' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove it with its data' }).click();
    await page.locator('.deployment-rows .badge.ended').nth(2).waitFor();
    await visitor.look('last-removed');
    await page.reload();
    await page.locator('.deployment-rows .badge.ended').nth(2).waitFor();
    await visitor.look('all-removed');

    // Restored elsewhere: the list says so when it is opened.
    const restored = await browser.berth.postJson('/restoreDeployment', { applicationName: 'shop', sessionToken });
    assert.equal(restored.status, 200);
    await page.reload();
    await page.waitForSelector('.deployment-rows .badge.running');
    await visitor.close();
  });
}

test('a list that the service does not answer keeps what it said, and goes on when it does', async () => {
  const visitor = await browser.visitor('list-cut-off', 'desk');
  const { page } = visitor;
  await remember(visitor, [await deploy('steady')]);
  await visitor.load('/deployments', '.deployment-rows .badge.running');
  await page.route('**/getDeploymentStatus*', (route) => route.abort());
  // A browser on a machine without a network takes itself for offline; which of the two it says is not what is tried.
  await page.waitForSelector('.reach .warn');
  assert.equal(await page.locator('.deployment-rows .badge.running').count(), 1);
  await visitor.complains(/ERR_FAILED/);
  await page.unroute('**/getDeploymentStatus*');
  await page.locator('.reach p').waitFor({ state: 'detached' });
  await visitor.close();
});

test('what was started elsewhere is opened with its session token, and listed from then on', async () => {
  const visitor = await browser.visitor('token', 'phone');
  const { page } = visitor;
  const { applicationName, environment, sessionToken } = await deploy('terminal');
  await page.goto(`/d/${environment}/${applicationName}`);
  const field = page.getByLabel('Session token');
  await visitor.look('token');
  await field.fill('berth_of-somebody-else');
  await page.getByRole('button', { name: 'Open it' }).click();
  await page.waitForSelector('[role=alert] >> text=does not belong to a deployment at this address');
  await visitor.complains(/404/);
  await field.fill(sessionToken);
  await page.getByRole('button', { name: 'Open it' }).click();
  await visitor.reach('running');
  assert.ok(!page.url().includes(sessionToken));
  await page.getByRole('link', { name: 'Deployments' }).click();
  await page.waitForSelector('.deployment-rows >> text=terminal');
  await visitor.close();
});
