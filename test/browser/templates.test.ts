/** Templates, and links that open an external configuration: both end in the editor, and existing text is not lost. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../scenarios/berth.ts';
import { openBrowser, type TestBrowser, widthsHere } from './browser.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser({ BERTH_ENGINE: 'memory', BERTH_DISK_FREE: '1Mi' });
});
after(async () => await browser.close());

type Visitor = Awaited<ReturnType<TestBrowser['visitor']>>;

const has = ({ page }: Visitor, text: string) => page.waitForSelector(`.cm-line >> text=${text}`);
const titles = ({ page }: Visitor) => page.locator('.template h2').allInnerTexts();

for (const width of widthsHere('phone', 'desk')) {
  test(`a template is found, opened in the editor and deployed, and a draft is kept (${width})`, async () => {
    const visitor = await browser.visitor('templates', width);
    const { page } = visitor;
    await visitor.start();
    await page.locator('.cm-line', { hasText: 'application:' }).click();
    await page.keyboard.press('End');
    await page.keyboard.type(' # mine');
    await page.waitForSelector('.problems .valid');
    await page.getByRole('link', { name: 'All templates' }).click();
    await page.waitForSelector('.template');
    assert.ok((await titles(visitor)).length >= 20);
    await visitor.lookInBothThemes('gallery');

    await page.getByRole('searchbox').fill('redis');
    await until('those with Redis are shown', async () => (await titles(visitor)).length === 2);
    assert.deepEqual(await titles(visitor), ['Redis behind HTTP', 'Queue with workers']);
    await page.getByRole('button', { name: 'workers', exact: true }).click();
    await until('the tag is chosen', async () => (await titles(visitor)).length === 1);
    assert.equal(new URL(page.url()).search, '?search=redis&tag=workers');
    await page.reload();
    await page.waitForSelector('.template');
    assert.deepEqual(await titles(visitor), ['Queue with workers']);
    await page.getByRole('searchbox').fill('no such thing');
    await page.getByRole('button', { name: 'Show all templates' }).click();

    await page.getByRole('searchbox').fill('queue');
    await page.getByRole('link', { name: 'Queue with workers' }).click();
    await has(visitor, '# Queue with workers: A page that takes jobs');
    assert.equal(new URL(page.url()).pathname, '/');
    await page.waitForSelector('.picture .pod-box >> text=worker');
    await visitor.look('in-the-editor');
    await page.getByRole('button', { name: 'Back to your draft' }).click();
    await has(visitor, '# mine');

    // It has a warning, whose place is made without moving what is there.
    await visitor.load('/new?template=queue', '.problems li.warning');
    await page.waitForSelector('.picture .pod-box >> text=worker');
    await visitor.deploy();
    await visitor.reach('running');
    await visitor.close();
  });
}

test('a link opens what is at its address, says where it came from, and deploys nothing', async () => {
  const visitor = await browser.visitor('open-in-berth', 'desk');
  const { page } = visitor;
  const from = 'https://raw.githubusercontent.com/me/shop/main/berth.yaml';
  // The service fetches only from the public internet, which tests do not have. Its fetches and refusals have tests of
  // their own.
  await page.route(/\/fetchDocument/, (route) => {
    assert.equal(new URL(route.request().url()).searchParams.get('from'), from);
    const text =
      'application:\n  name: shop\n  pods:\n    - { name: web, image: "nginx:1", path: /, servicePorts: [80] }\n';
    return route.fulfill({ json: { from, text } });
  });
  await page.goto(`/new?from=${encodeURIComponent(from)}`);
  await has(visitor, 'name: shop');
  await page.waitForSelector(`.notice.source >> text=${from}`);
  await visitor.lookInBothThemes('source');
  await page.reload();
  await page.waitForSelector(`.notice.source >> text=${from}`);
  assert.ok(!visitor.addresses.some((address) => address.includes('startUserDeployment')));
  await page.getByRole('button', { name: 'Counter' }).click();
  await page.waitForSelector('.notice.source', { state: 'detached' });
  await visitor.close();
});

test('a link to what the service does not fetch says why, and leads on', async () => {
  const visitor = await browser.visitor('open-in-berth-refused', 'phone');
  const { page } = visitor;
  await page.goto(`/new?from=${encodeURIComponent('https://127.0.0.1/app.yaml')}`);
  await page.waitForSelector('.notice >> text=127.0.0.1 is not on the public internet');
  await visitor.complains(/502/);
  await visitor.look('refused');
  await page.goto('/new?template=no-such');
  await page.waitForSelector('.notice >> text=No template has the name "no-such"');
  await visitor.complains(/404/);
  await page.goto('/new');
  await page.waitForSelector('.notice >> text=This link does not name a configuration');
  await page.getByRole('link', { name: 'To the editor' }).click();
  await page.waitForSelector('.problems .valid');
  await visitor.close();
});
