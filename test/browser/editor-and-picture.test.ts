/**
 * The editor during writing: new lines, the picture next to it, search, the height of the list; and keys of every page.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../scenarios/berth.ts';
import { openBrowser, type TestBrowser, type Visitor, widthsHere } from './browser.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser({ BERTH_ENGINE: 'memory', BERTH_DISK_FREE: '1Mi' });
});
after(async () => await browser.close());

const textOf = async ({ page }: Visitor) => (await page.locator('.cm-line').allInnerTexts()).join('\n').trimEnd();
const open = ({ page }: Visitor, text: string) =>
  page.setInputFiles('input[type=file]', { name: 'a.yaml', mimeType: 'text/yaml', buffer: Buffer.from(text) });
const selected = ({ page }: Visitor) => page.evaluate(() => getSelection()?.toString());

test('a new line begins where one goes on, and Enter after a value that is written out ends the line', async () => {
  const visitor = await browser.visitor('new-lines', 'desktop');
  const { page } = visitor;
  await visitor.start();
  await page.locator('.cm-content').click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  for (const line of ['application:', 'name: zzz', 'pods:', '- name: zzz']) {
    await page.keyboard.type(line);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
  }
  await page.keyboard.type('image: nginx:1');
  await page.waitForSelector('.cm-tooltip-autocomplete li >> text=nginx:1');
  await page.keyboard.press('Enter');
  await page.keyboard.type('path: /');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await page.keyboard.type('servicePorts: [80]');
  const written =
    'application:\n  name: zzz\n  pods:\n    - name: zzz\n      image: nginx:1\n      path: /\n      servicePorts: [80]';
  assert.equal(await textOf(visitor), written);
  await page.waitForSelector('.problems .valid');
  await visitor.close();
});

for (const width of widthsHere('desk', 'phone')) {
  test(`a pod in the picture leads to its lines and back, and a picture that is behind says so (${width})`, async () => {
    const visitor = await browser.visitor('picture', width);
    const { page } = visitor;
    await visitor.start();
    await page.getByRole('button', { name: 'Guestbook' }).click();
    await page.locator('.picture .pod-box', { hasText: 'postgres:15' }).click();
    await until('its name is selected', async () => (await selected(visitor)) === 'db');
    await page.locator('.pod-box.marked', { hasText: 'postgres:15' }).waitFor();
    await page.locator('.picture .pod-box', { hasText: 'redis:7' }).click();
    await page.locator('.pod-box.marked', { hasText: 'redis:7' }).waitFor();
    assert.equal(await page.locator('.pod-box.marked').count(), 1);
    await visitor.lookInBothThemes('marked');
    await page.keyboard.type('cache\n      image: 3: 4');
    await page.waitForSelector('.stale-label');
    await visitor.look('stale');
    // Another text gets another name, which is not known yet.
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('another: text');
    await page.locator('.preview .address', { hasText: 'two-words-….' }).waitFor();
    await visitor.close();
  });

  test(`the configuration of what runs has its picture too (${width})`, async () => {
    const visitor = await browser.visitor('configuration', width);
    const { page } = visitor;
    await visitor.deployText(thirtyPods(), 'service-number-29');
    await visitor.openTab('Configuration');
    await page.locator('.picture .pod-box', { hasText: 'service-number-9' }).click();
    await until('its name is selected', async () => (await selected(visitor)) === 'service-number-9');
    await page.locator('.pod-box.marked', { hasText: 'service-number-9' }).waitFor();
    await visitor.lookInBothThemes('picture');
    await visitor.close();
  });

  test(`a picture of thirty pods is fitted, made larger and moved, and names fit their boxes (${width})`, async () => {
    const visitor = await browser.visitor('thirty-pods', width);
    const { page } = visitor;
    await visitor.start();
    await open(visitor, thirtyPods());
    await page.waitForSelector('.picture .pod-box >> text=service-number-29');
    const inside = () =>
      page.evaluate(() => {
        const frame = document.querySelector('.picture')!.getBoundingClientRect();
        return Array.from(document.querySelectorAll('.picture .pod-box'), (box) => box.getBoundingClientRect()).filter(
          ({ left, right, top, bottom }) =>
            left >= frame.left - 1 && right <= frame.right + 1 && top >= frame.top - 1 && bottom <= frame.bottom + 1,
        ).length;
      });
    await page.locator('.picture').scrollIntoViewIfNeeded();
    assert.ok((await inside()) < 30);
    const cut = await page.locator('.pod-box .name span:first-child').evaluateAll((names) => {
      return names.filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.textContent);
    });
    assert.deepEqual(cut, []);
    await visitor.look('readable');
    await page.getByRole('button', { name: 'Fit', exact: true }).click();
    await until('all pods are in the frame', async () => (await inside()) === 30);
    await visitor.lookInBothThemes('fitted');
    for (let count = 0; count < 4; count++) await page.getByRole('button', { name: 'Larger' }).click();
    assert.ok((await inside()) < 30);
    if (width === 'desk') {
      const before = await page.locator('.picture').evaluate(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop]);
      const { x, y } = await page.locator('.picture').evaluate(placeBesidePods);
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + 60, y + 50, { steps: 4 });
      await page.mouse.up();
      const after = await page.locator('.picture').evaluate(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop]);
      assert.notDeepEqual(after, before);
    }
    await page.getByRole('button', { name: 'Fit', exact: true }).click();
    await page.getByRole('button', { name: 'Readable' }).click();
    await visitor.close();
  });

  test(`texts are found and replaced (${width})`, async () => {
    const visitor = await browser.visitor('find', width);
    const { page } = visitor;
    await visitor.start();
    await page.locator('.cm-content').focus();
    await page.keyboard.press('ControlOrMeta+f');
    await page.getByLabel('Find', { exact: true }).fill('hello');
    await page.waitForSelector('.find-count >> text=/\\d+ found/');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.find-count >> text=/^1 of \\d+$/');
    await visitor.lookInBothThemes('panel');
    await page.getByLabel('Replace with').fill('goodbye');
    await page.getByRole('button', { name: 'Replace all' }).click();
    await page.waitForSelector('.find-count >> text=Nothing found');
    assert.match(await textOf(visitor), /name: goodbye/);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.waitForSelector('.find-panel', { state: 'detached' });
    await visitor.close();
  });
}

test('the list of problems is made higher, and stays so', async () => {
  const visitor = await browser.visitor('problem-height', 'desktop');
  const { page } = visitor;
  await visitor.start();
  await open(visitor, thirtyPods().replaceAll('servicePorts: [80]', 'servicePort: 80'));
  const edge = page.getByRole('separator', { name: 'Height of the list' });
  await edge.waitFor();
  const height = () => page.locator('.problems ul').evaluate((list) => list.clientHeight);
  const before = await height();
  await edge.focus();
  for (let count = 0; count < 3; count++) await page.keyboard.press('ArrowUp');
  await until('it is higher', async () => (await height()) >= before + 70);
  const box = (await edge.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y - 40, { steps: 4 });
  await page.mouse.up();
  const dragged = await height();
  assert.ok(dragged > before + 90, String([before, dragged]));
  await visitor.look('higher');
  await page.reload();
  await edge.waitFor();
  assert.equal(await height(), dragged);
  await visitor.close();
});

test('the palette goes everywhere, a slash searches the page, and a question mark shows the keys', async () => {
  const visitor = await browser.visitor('palette', 'desk');
  const { page } = visitor;
  await visitor.start();
  await page.keyboard.press('ControlOrMeta+k');
  const field = page.getByRole('combobox');
  await field.waitFor();
  await page.getByRole('option', { name: /^WordPress/ }).waitFor();
  await visitor.lookInBothThemes('palette');
  await field.fill('find in');
  await page.keyboard.press('Enter');
  await page.getByLabel('Find', { exact: true }).waitFor();
  await page.keyboard.press('Escape');

  await page.keyboard.press('ControlOrMeta+k');
  await field.fill('templ');
  await page.waitForSelector('[role=option][aria-selected=true] >> text=Templates');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/templates$/);
  await page.waitForSelector('.template');
  await page.keyboard.press('/');
  await page.keyboard.type('ghost');
  await until('Ghost is found', async () => (await page.locator('.template').count()) === 1);
  await page.locator('h1').click();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await visitor.lookInBothThemes('keys');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await page.keyboard.press('ControlOrMeta+k');
  await field.fill('dark theme');
  await page.keyboard.press('Enter');
  await page.waitForSelector('html[data-theme=dark]');
  await visitor.close();
});

/** In the page. */
function placeBesidePods(picture: Element): { x: number; y: number } {
  const { left, top, width, height } = picture.getBoundingClientRect();
  for (let at = 0; at < 400; at++) {
    const [x, y] = [left + 10 + (at % 20) * (width / 22), top + 10 + Math.floor(at / 20) * (height / 30)];
    const there = document.elementFromPoint(x, y);
    if (there && picture.contains(there) && !there.closest('button')) return { x, y };
  }
  throw new Error('pods are everywhere');
}

/** Three layers of services that use one another. */
function thirtyPods(): string {
  const pods = Array.from({ length: 30 }, (_, index) => {
    const used = index < 20 ? [`service-number-${index + 10}`] : [];
    return `    - name: service-number-${index}
      image: nginx:1
      servicePorts: [80]
${index < 10 ? `      path: /${index}\n` : ''}${used.length > 0 ? `      dependsOn: [${used}]\n` : ''}`;
  });
  return `application:\n  name: thirty\n  pods:\n${pods.join('')}`;
}
