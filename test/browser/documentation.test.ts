/** The documentation site in a browser: both themes, two widths, search, and copying. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inTier } from '../tier.ts';
import { openBrowser, type TestBrowser, type Visitor, type Width } from './browser.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());

/** Opens the first result. Resolves when its page shows the words. */
async function openFirstResult({ page }: Visitor, words: string): Promise<void> {
  // The box would open with the results of the last search.
  await page.evaluate(() => sessionStorage.clear());
  await page.keyboard.press('Control+k');
  await page.locator('.VPLocalSearchBox input').fill(words);
  await page.locator('.VPLocalSearchBox a.result').first().click();
  await page.locator('.VPLocalSearchBox').waitFor({ state: 'detached' });
  // The previous page stays until the next one is loaded.
  await page.locator('main', { hasText: new RegExp(words, 'i') }).waitFor();
}

for (const [width, theme] of inTier<[Width, 'light' | 'dark']>(
  [
    ['desk', 'light'],
    ['phone', 'dark'],
  ],
  [
    ['desk', 'dark'],
    ['phone', 'light'],
  ],
)) {
  test(`pages of each kind can be read (${width}, ${theme})`, async () => {
    const visitor = await browser.visitor(`docs-${theme}`, width, theme);
    const { page } = visitor;
    for (const path of [
      '/docs',
      '/docs/guides/use-the-dashboard',
      '/docs/reference/configuration',
      '/docs/reference/requests',
      '/docs/explanation/architecture',
    ]) {
      await page.goto(path);
      await page.waitForSelector('main h1');
      assert.equal(await page.evaluate(() => document.documentElement.classList.contains('dark')), theme === 'dark');
      await visitor.look(path.replaceAll('/', '-').slice(1));
    }
    await visitor.close();
  });
}

test('search finds words, numbers and phrases', async () => {
  const visitor = await browser.visitor('docs-search', 'desk');
  await visitor.load('/docs', 'main h1');
  await visitor.page.keyboard.press('Control+k');
  await visitor.page.locator('.VPLocalSearchBox input').fill('healthcheck');
  await visitor.page.waitForSelector('.VPLocalSearchBox .result');
  await visitor.look('results');
  await visitor.page.keyboard.press('Escape');
  await visitor.page.locator('.VPLocalSearchBox').waitFor({ state: 'detached' });
  for (const words of ['healthcheck', '502', 'custom domain']) await openFirstResult(visitor, words);
  await visitor.close();
});

test('a block of code is copied with the address of this service', async () => {
  const visitor = await browser.visitor('docs-copy', 'desk');
  const { page, context } = visitor;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/docs/guides/use-berth-as-an-agent');
  const block = page.locator('main div[class*="language-"]', { hasText: '/startUserDeployment' }).first();
  await block.hover();
  await block.locator('button.copy').click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(copied.includes(`${browser.berth.settings.baseUrl.origin}/startUserDeployment`), copied);
  await visitor.look('copied');
  await visitor.close();
});

test('the theme can be switched, and the next page is one click away', async () => {
  const visitor = await browser.visitor('docs-theme', 'desk');
  const { page } = visitor;
  await visitor.load('/docs/guides/go-public', 'main h1');
  await page.locator('.VPSwitchAppearance:visible').click();
  await page.waitForSelector('html.dark');
  await visitor.look('switched');
  await page.locator('.pager-link.next').click();
  await page.waitForFunction(() => !location.pathname.endsWith('/go-public'));
  await page.waitForSelector('main h1');
  await visitor.look('next');
  await page.goto('/');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark', 'the dashboard has it too');
  await visitor.close();
});
