import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../scenarios/berth.ts';
import { openBrowser, type TestBrowser, type Visitor, widthsHere } from './browser.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser();
});
after(async () => await browser.close());

const broken = `application:
  name: My Shop
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
      dependsOn: [dbb]
    - name: db
      image: postgres
`;

const write = (visitor: Visitor, text: string) =>
  visitor.page.setInputFiles('input[type=file]', {
    name: 'app.yaml',
    mimeType: 'text/yaml',
    buffer: Buffer.from(text),
  });
const lines = async ({ page }: Visitor) => await page.locator('.cm-line').allInnerTexts();

for (const width of widthsHere('desktop', 'phone')) {
  test(`errors are shown while one writes, and mended by a click (${width})`, async () => {
    const visitor = await browser.visitor('editor', width);
    const { page } = visitor;
    await visitor.start();
    await write(visitor, broken);
    await page.waitForSelector('.problems li.error');
    assert.match(await page.locator('.problems strong').innerText(), /^3 problems/);
    await page.waitForSelector('.cm-lint-marker-error');
    await visitor.look('problems');

    await page.locator('.problems li', { hasText: 'My Shop' }).getByRole('button', { name: 'Fix' }).click();
    await page.waitForSelector('.cm-line >> text=name: my-shop');
    await page
      .locator('.problems li', { hasText: 'postgres' })
      .getByRole('button', { name: /line 10/ })
      .click();
    await page.waitForFunction(() => getSelection()?.toString() === 'postgres');
    await page.keyboard.type('postgres:15');
    await page.locator('.problems li', { hasText: 'no pod is named' }).getByRole('button', { name: 'Fix' }).click();
    await page.waitForSelector('.cm-line >> text=dependsOn: [db]');
    assert.ok((await lines(visitor)).includes('      image: postgres:15'));
    await page.waitForSelector('.picture >> text=postgres:15');
    await page.waitForSelector('.problems li.error', { state: 'detached' });

    await page.reload();
    await page.waitForSelector('.cm-line >> text=name: my-shop');
    await visitor.look('mended');
    await visitor.close();
  });
}

test('several fixes are made by one click, also of a Compose file', async () => {
  const visitor = await browser.visitor('editor-compose', 'desktop');
  await visitor.start();
  await write(
    visitor,
    broken.replace('image: postgres', 'image: postgres:15\n      vars: { POSTGRES_PASSWORD: secret }'),
  );
  await visitor.page.getByRole('button', { name: 'Fix all 2' }).click();
  await visitor.page.waitForSelector('.problems .valid, .problems li.warning');
  await visitor.page.waitForSelector('.cm-line >> text=name: my-shop');
  assert.deepEqual((await lines(visitor)).slice(1, 2), ['  name: my-shop']);
  await visitor.page.getByRole('button', { name: 'Compose file' }).click();
  await visitor.page.waitForSelector('.picture >> text=redis:7');
  await visitor.look('compose');
  await visitor.close();
});

test('a note is shown next to its line, and the document is valid', async () => {
  const visitor = await browser.visitor('editor-note', 'desktop');
  const { page } = visitor;
  await visitor.start();
  await write(
    visitor,
    'application:\n  name: notes\n  pods:\n    - name: web\n      image: nginx:1\n      path: /\n      servicePorts: [80]\n      vars: { JWT_SECRET: "${JWT_SECRET}" }\n',
  );
  await page.waitForSelector('.problems .valid >> text=Valid, images not checked, 1 note');
  await page.waitForSelector('.problems li.note >> text=JWT_SECRET gets a generated value');
  await page.waitForSelector('.cm-lint-marker-info');
  await visitor.look('note');
  await visitor.close();
});

test('keys and values are completed and explained from the schema', async () => {
  const visitor = await browser.visitor('completion', 'desktop');
  const { page } = visitor;
  await visitor.start();
  await page.locator('.cm-line', { hasText: 'servicePorts' }).click();
  await page.keyboard.press('End');
  await page.keyboard.type('\nresou');
  await page.waitForSelector('.cm-tooltip-autocomplete >> text=resourceType');
  await page.waitForSelector('.cm-completionInfo');
  await visitor.look('completion');
  await page.keyboard.type('rceT');
  await page.locator('.cm-tooltip-autocomplete li', { hasText: 'resourceType' }).click();
  await page.locator('.cm-tooltip-autocomplete li', { hasText: 'statefulset' }).click();
  await page.waitForSelector('.cm-line >> text=resourceType: statefulset');
  // The pointer may leave the word when the page moves below it.
  await until('the key is explained', async () => {
    await page.mouse.move(0, 0);
    await page.locator('.cm-line', { hasText: 'servicePorts' }).getByText('servicePorts').hover();
    const explanation = page.locator('.cm-explanation', { hasText: 'Ports that the pod listens on' });
    return await explanation.waitFor({ timeout: 5_000 }).then(
      () => true,
      () => false,
    );
  });
  await visitor.close();
});

test('everything can be done with the keyboard: leave the editor, find a problem, deploy', async () => {
  const visitor = await browser.visitor('keyboard', 'desktop');
  const { page } = visitor;
  await visitor.start();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to the content');
  await page.keyboard.press('Enter');
  await page.locator('.cm-content').focus();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  assert.ok(await page.evaluate(() => !document.activeElement?.closest('.cm-editor')));

  await write(visitor, broken);
  await page.waitForSelector('.problems li.error');
  await page.locator('.cm-content').focus();
  await page.keyboard.press('ControlOrMeta+Enter');
  await page.waitForFunction(() => getSelection()?.toString() === 'My Shop');
  assert.equal(new URL(page.url()).pathname, '/');
  await visitor.close();
});

test('what the service refuses is said where it was sent from', async () => {
  const visitor = await browser.visitor('refused', 'phone');
  await visitor.start();
  await write(
    visitor,
    broken
      .replace('My Shop', 'shop')
      .replace('dbb', 'db')
      .replace('image: postgres', 'image: postgres:15\n      resources: { requests: { memory: 900Ti } }'),
  );
  await visitor.page.waitForSelector('.picture >> text=postgres:15');
  await visitor.deploy();
  await visitor.page.waitForSelector('.problems .notice >> text=of memory in all');
  await visitor.complains(/403/);
  await visitor.look('refused');
  await visitor.close();
});
