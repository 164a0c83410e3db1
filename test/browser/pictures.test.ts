import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openBrowser, type TestBrowser } from './browser.ts';
import { picturesFolder, settingsOfPictures, shownFile, takePictures } from './pictures.ts';

const root = join(import.meta.dirname, '../..');

let browser: TestBrowser;
before(async () => {
  browser = await openBrowser(settingsOfPictures);
});
after(async () => await browser.close());

test('the pictures of the README show the present dashboard; `npm run pictures` takes them again', async () => {
  const shown = await takePictures(browser, join(root, 'test-output/pictures'));
  assert.equal(shown, readFileSync(shownFile, 'utf8'));
});

test('the README and the documentation use every picture, and they are small', () => {
  const pages = ['README.md', 'docs/start/with-the-dashboard.md', 'docs/guides/use-the-dashboard.md'];
  const text = pages.map((page) => readFileSync(join(root, page), 'utf8')).join('');
  const files = readdirSync(picturesFolder).filter((name) => name.endsWith('.png'));
  assert.ok(files.length >= 4);
  for (const file of files) {
    // Pages of the documentation name the light one.
    assert.ok(text.includes(`pictures/${file.replace('-dark', '-light')}`), file);
    assert.ok(statSync(join(picturesFolder, file)).size < 300_000, file);
  }
});
