/**
 * The pictures of the README, in the light and dark theme, and their text. `npm run pictures` writes both. A test
 * compares the text with the present dashboard, so that an outdated picture is found without comparing pixels.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../scenarios/berth.ts';
import type { TestBrowser, Visitor } from './browser.ts';

export const picturesFolder = join(import.meta.dirname, '../../docs/pictures');
export const shownFile = join(picturesFolder, 'shown.txt');

/** Settings that make an application in memory look like a real one. */
export const settingsOfPictures = { BERTH_ENGINE: 'memory', BERTH_DISK_FREE: '1Mi' };

const size = { width: 1200, height: 760 };

const guestbook = join(import.meta.dirname, '../../examples/guestbook.yaml');

/** @returns what they show. Into `folder`, as `NAME-light.png` and `NAME-dark.png`. */
export async function takePictures(browser: TestBrowser, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const visitor = await browser.visitor('pictures', 'desktop');
  const { page } = visitor;
  await page.setViewportSize(size);
  const shown: string[] = [];
  const take = async (name: string, ...regions: string[]) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`), animations: 'disabled' });
    }
    await page.emulateMedia({ colorScheme: 'light' });
    const texts = await Promise.all(regions.map((region) => page.locator(region).first().ariaSnapshot()));
    shown.push(`# ${name}\n${unchanging(texts.join('\n'))}\n`);
  };
  try {
    await visitor.start();
    await open(visitor, await readFile(guestbook, 'utf8'));
    await page.waitForSelector('.picture >> text=redis:7');
    await page.waitForSelector('.problems .valid');
    await closeToasts(visitor);
    await take('editor', '.preview');
    await visitor.deploy();
    await visitor.reach('running');
    await page.locator('.journey h2', { hasText: /^Live after/ }).waitFor();
    await page.waitForSelector('.metrics svg');
    await closeToasts(visitor);
    await take('live', '.deployment-header', '.tabs', '.picture');
    await page.goto('/templates');
    await page.waitForSelector('.template');
    await take('templates', 'main');
    return shown.join('\n');
  } finally {
    await visitor.close();
  }
}

const open = ({ page }: Visitor, text: string) =>
  page.setInputFiles('input[type=file]', { name: 'a.yaml', mimeType: 'text/yaml', buffer: Buffer.from(text) });

const closeToasts = ({ page }: Visitor) =>
  until('no message is shown', async () => (await page.locator('.toast').count()) === 0);

/** Addresses, numbers and their units differ each time, and what expires after midnight has its day. */
function unchanging(text: string): string {
  return text
    .replaceAll(/(?<=time: )[A-Z][a-z]+, [A-Z][a-z]+ \d+ (?=at \d)/g, '')
    .replaceAll(/[a-z]+-[a-z]+(?=[-/]guestbook)/g, 'two-words')
    .replaceAll(/(?<=environment )[a-z]+-[a-z]+/g, 'two-words')
    .replaceAll(/localhost:\d+/g, 'localhost')
    .replaceAll(/\d[\d.,]*(?: (?:ms|s|min|h|B|KiB|MiB|GiB|KB|MB|GB|%))?/g, '#')
    .replaceAll(/#(?: #)+/g, '#');
}
