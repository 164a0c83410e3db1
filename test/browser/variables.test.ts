/** The variables of pods as a table, which edits the document beneath it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser, widthsHere } from './browser.ts';

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser({ BERTH_ENGINE: 'memory', BERTH_DISK_FREE: '1Mi' });
});
after(async () => await browser.close());

const yaml = `# what we sell
application:
  name: varied
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
      vars:
        API_KEY: hidden-value # of the shop
        REDIS: cache.pod:6379
        CERT: |
          first line
          second line
    - name: cache
      image: redis:7
      servicePorts: [6379]
`;

for (const width of widthsHere('desk', 'phone')) {
  test(`variables are masked, revealed, edited, pasted and removed, and comments stay (${width})`, async () => {
    const visitor = await browser.visitor('variables', width);
    const { page } = visitor;
    await visitor.deployText(yaml, 'cache');
    await visitor.reach('running');
    await visitor.openTab('Configuration');
    await page.getByRole('button', { name: 'Variables' }).click();
    const web = page.getByRole('region', { name: 'Variables of web' });
    const key = web.getByLabel('API_KEY of web');
    assert.equal(await key.getAttribute('type'), 'password');
    await visitor.lookInBothThemes('masked');
    await web.getByRole('button', { name: 'Reveal API_KEY' }).click();
    assert.equal(await key.getAttribute('type'), 'text');
    await key.fill('another one');
    const offered = await web
      .locator('datalist option')
      .evaluateAll((all) => all.map((each) => each.getAttribute('value')));
    assert.deepEqual(offered, ['cache.pod:6379']);

    const cert = web.getByLabel('CERT of web');
    assert.equal(await cert.isEditable(), false);
    await web.getByRole('button', { name: 'Reveal CERT' }).click();
    await cert.fill('first line\nanother line\n');
    assert.equal(await cert.inputValue(), 'first line\nanother line\n');

    await web.getByRole('button', { name: 'Paste a .env file …' }).click();
    await page.getByLabel('Lines of a .env file').fill('# mine\nLEVEL="debug"\nREDIS=cache.pod:6380');
    await visitor.lookInBothThemes('paste');
    await page.getByRole('button', { name: 'Set 2' }).click();
    await web.getByLabel('LEVEL of web').waitFor();
    const cache = page.getByRole('region', { name: 'Variables of cache' });
    await cache.getByLabel('Name of a new variable of cache').fill('EXTRA');
    await cache.getByRole('button', { name: 'Add' }).click();
    await cache.getByLabel('EXTRA of cache').fill('on call');
    await visitor.look('edited');
    await cache.getByRole('button', { name: 'Remove EXTRA' }).click();
    await cache.getByText('No variables yet.').waitFor();

    await page.getByRole('button', { name: 'Edit as text' }).click();
    const line = (text: string) => page.locator('.cm-line', { hasText: text }).first().waitFor();
    for (const text of [
      '# what we sell',
      'API_KEY: another one # of the shop',
      'REDIS: cache.pod:6380',
      'CERT: "first line\\nanother line\\n"',
      'LEVEL: debug',
    ])
      await line(text);
    await page.locator('.cm-line', { hasText: 'image: nginx:1' }).click();
    await page.keyboard.press('End');
    await page.keyboard.type(' x');
    await page.waitForSelector('.problems .error');
    await page.getByRole('button', { name: 'Variables' }).click();
    await page.getByRole('button', { name: 'Review the update' }).click();
    await page.locator('.cm-line.cm-activeLine', { hasText: 'image: nginx:1 x' }).click();
    await page.keyboard.press('End');
    for (let left = 0; left < 2; left++) await page.keyboard.press('Backspace');
    await page.waitForSelector('.problems .valid');
    await page.getByRole('button', { name: 'Review the update' }).click();
    await page.getByRole('button', { name: 'Update now' }).click();
    await page.waitForSelector('.journey h2 >> text=/^Revision 2 is live/');
    await visitor.close();
  });
}
