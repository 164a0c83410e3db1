/** Text in the dashboard's editor survives changes of the page, examples, and the end of the deployment. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser, widthsHere } from './browser.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser({ BERTH_ENGINE: 'memory', BERTH_DISK_FREE: '1Mi' });
});
after(async () => await browser.close());

type Visitor = Awaited<ReturnType<TestBrowser['visitor']>>;

const yaml = (greeting: string) => `application:
  name: kept
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
      vars: { GREETING: ${greeting} }
`;
const open = ({ page }: Visitor, name: string, text: string) =>
  page.setInputFiles('input[type=file]', { name, mimeType: 'text/yaml', buffer: Buffer.from(text) });
const writeAfter = async ({ page }: Visitor, line: string, text: string) => {
  await page.locator('.cm-line', { hasText: line }).first().click();
  await page.keyboard.press('End');
  await page.keyboard.type(text);
};
const has = ({ page }: Pick<Visitor, 'page'>, text: string) => page.waitForSelector(`.cm-line >> text=${text}`);

/** As the browser keeps it. */
const tokenOf = ({ page }: Visitor) =>
  page.evaluate(() => JSON.parse(localStorage.getItem('berth.deployments') ?? '[]')[0].sessionToken as string);

test('what is written on the start page outlives tabs, examples and files', async () => {
  const visitor = await browser.visitor('drafts-start', 'desktop');
  const { page, context } = visitor;
  await visitor.start();
  await writeAfter(visitor, 'application:', ' # mine');
  await page.waitForSelector('.problems .valid');

  const second = await context.newPage();
  await second.goto('/');
  await has({ page: second }, '# mine');
  await second.close();
  await page.bringToFront();

  await page.getByRole('button', { name: 'Counter' }).click();
  await page.waitForSelector('.picture >> text=redis:7');
  await page.getByRole('button', { name: 'Back to your draft' }).click();
  await has(visitor, '# mine');
  assert.equal(await page.getByRole('button', { name: 'Back to your draft' }).count(), 0);

  const dropped = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], 'dropped.yaml', { type: 'text/yaml' }));
    return transfer;
  }, yaml('dropped'));
  await page.dispatchEvent('.cm-content', 'drop', { dataTransfer: dropped });
  await has(visitor, 'GREETING: dropped');
  assert.equal(await page.locator('.cm-line', { hasText: '# mine' }).count(), 0);
  await visitor.look('dropped');
  await page
    .locator('.toast', { hasText: 'dropped.yaml is in the editor' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await has(visitor, '# mine');
  await visitor.close();
});

for (const width of widthsHere('phone', 'desktop')) {
  test(`an edited configuration outlives tabs, reloads and an update from elsewhere (${width})`, async () => {
    const visitor = await browser.visitor('drafts', width, width === 'phone' ? 'dark' : 'light');
    const { page, context } = visitor;
    await visitor.start();
    await open(visitor, 'kept.yaml', yaml('first'));
    await page.waitForSelector('.picture .pod-box >> text=web');
    await visitor.deploy();
    await visitor.reach('running');
    await visitor.openTab('Configuration');
    await writeAfter(visitor, 'servicePorts', ' # half a thought');
    await visitor.openTab('Logs');
    await visitor.openTab('Configuration');
    await has(visitor, '# half a thought');
    await page.reload();
    await has(visitor, '# half a thought');
    const second = await context.newPage();
    await second.goto(page.url());
    await has({ page: second }, '# half a thought');
    await second.close();
    await page.bringToFront();

    const headers = { Authorization: `Bearer ${await tokenOf(visitor)}`, 'Content-Type': 'text/x-yaml' };
    const update = await fetch(`${browser.berth.settings.baseUrl.origin}/updateUserDeployment`, {
      method: 'POST',
      headers,
      body: yaml('from-elsewhere'),
    });
    assert.equal(update.status, 200, await update.text());
    const notice = page.getByRole('region', { name: 'A newer revision' });
    await notice.getByText('Revision 2 arrived').waitFor();
    await has(visitor, '# half a thought');
    await notice.getByRole('button', { name: 'Compare' }).click();
    await page.waitForSelector('.comparison-view .cm-deletedChunk >> text=from-elsewhere');
    await visitor.look('newer-revision');
    await notice.getByRole('button', { name: 'Take revision 2' }).click();
    await has(visitor, 'GREETING: from-elsewhere');
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await has(visitor, '# half a thought');
    await notice.getByRole('button', { name: 'Keep my text' }).click();
    await notice.waitFor({ state: 'detached' });
    await has(visitor, '# half a thought');

    await page.getByRole('button', { name: 'Review the update' }).click();
    await page.getByRole('button', { name: 'Update now' }).click();
    await page.waitForSelector('.journey >> text=Revision 3 is live');
    await visitor.openTab('Configuration');
    await has(visitor, '# half a thought');
    assert.ok(await page.getByRole('button', { name: 'Review the update' }).isDisabled());
    await visitor.close();
  });
}

test('what has ended is deployed again from the configuration that the browser has kept, until it is forgotten', async () => {
  const visitor = await browser.visitor('drafts-end', 'desktop');
  const { page } = visitor;
  await visitor.start();
  await open(visitor, 'kept.yaml', yaml('again'));
  await page.waitForSelector('.picture .pod-box >> text=web');
  await visitor.deploy();
  await visitor.reach('running');
  const address = page.url();
  await page.goto('/');
  await has(visitor, 'GREETING: again');
  await writeAfter(visitor, 'servicePorts', ' # another thought');
  await page.goto(address);
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Remove it with its data' }).click();
  await page.locator('.deployment-rows').getByRole('button', { name: 'Deploy again' }).waitFor();
  await visitor.look('ended', /404/);

  await page.goto(address);
  await page.locator('.empty').getByRole('button', { name: 'Deploy again' }).click();
  await page.waitForURL((url) => url.pathname === '/');
  await has(visitor, 'GREETING: again');
  assert.equal(await page.locator('.cm-line', { hasText: '# another thought' }).count(), 0);
  await page.getByRole('button', { name: 'Back to your draft' }).click();
  await has(visitor, '# another thought');

  await page.goto('/deployments');
  await page.getByRole('button', { name: /^Forget kept/ }).click();
  await page.waitForSelector('.empty >> text=No deployments');
  await page.goto(address);
  await page.waitForSelector('.empty >> text=cannot be found');
  assert.equal(await page.getByRole('button', { name: 'Deploy again' }).count(), 0);
  await visitor.close();
});
