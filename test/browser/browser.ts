/** A real browser before a real Berth: pages at the width of a desk and of a telephone, and what must hold on each. */
import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { type Berth, createBerth, until } from '../scenarios/berth.ts';
import { inTier } from '../tier.ts';
import { startChromium, type TestChromium } from './chromium.ts';
import { shiftsOf, watchShifts } from './shifts.ts';

/** The desktop with reduced motion, the phone without: both must be readable. */
export const widths = {
  desktop: { viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' },
  desk: { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
} as const;
export type Width = keyof typeof widths;

/** The widths at which a test repeats: the first in `npm test`, the second in the nightly run. */
export const widthsHere = (usual: Width, nightly: Width): Width[] => inTier([usual], [nightly]);

/** To be looked at by people: 0.15 s of a processor each, and no test reads them. */
const keepsPictures = process.env.TEST_PICTURES !== undefined;
const picturesFolder = join(import.meta.dirname, '../../test-output/browser');

/** As long as a deploy of the examples may take on a machine that does much else. */
const patienceMs = 600_000;

/** Findings that a person with a screen reader or without a mouse would stumble over. */
const seriousImpacts = ['serious', 'critical'];
/** Below 0.1 counts as good. */
const maxShift = 0.01;

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Call `close` when done, also after a failure. */
export async function openBrowser(env: Record<string, string> = {}) {
  const berth = await createBerth(env);
  let chromium: TestChromium;
  try {
    await berth.serve();
    chromium = await startChromium(berth.settings.port);
  } catch (error) {
    await berth.destroy();
    throw error;
  }
  return {
    berth,
    /** A first-time visitor. */
    visitor: (name: string, width: Width, theme: 'light' | 'dark' = 'light') =>
      openVisitor(chromium.browser, berth, { name, width, theme }),
    async close() {
      await chromium.close();
      await berth.destroy();
      if (keepsPictures) console.log(`Pictures of the pages: ${picturesFolder}`);
    },
  };
}

export type TestBrowser = Awaited<ReturnType<typeof openBrowser>>;
type Opening = { name: string; width: Width; theme: 'light' | 'dark' };

async function openVisitor(browser: Browser, berth: Berth, { name, width, theme }: Opening) {
  const baseUrl = berth.settings.baseUrl.origin;
  const context = await browser.newContext({ ...widths[width], baseURL: baseUrl, colorScheme: theme });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  const addresses: string[] = [];
  const answers: Promise<{ path: string; text: string }>[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on(
    'console',
    (message) => message.type() === 'error' && complaints.push(`${message.text()} ${message.location().url}`),
  );
  page.on('request', (request) => addresses.push(request.url()));
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.startsWith('/assets/')) return;
    // A stream ends when its page is left; what it says is read elsewhere.
    const text = response.text().catch(() => '');
    answers.push(text.then((text) => ({ path: pathname, text })));
  });
  await watchShifts(page);
  await page.addInitScript(askAboutNotifications);
  let pictures = 0;
  const keepPicture = async (what: string) => {
    await mkdir(picturesFolder, { recursive: true });
    const number = String(++pictures).padStart(2, '0');
    const path = join(picturesFolder, `${name}-${width}-${number}-${what}.png`);
    await page.screenshot({ path, fullPage: true });
  };

  const visitor = {
    page,
    context,
    /** The browser's requests. */
    addresses,
    /** The service's answers, except files and streams. */
    answers,
    /** Waits until something like this was written to the console as an error, since the last look; it may be so. */
    async complains(pattern: RegExp) {
      await until(`the console says ${pattern}`, async () => complaints.some((complaint) => pattern.test(complaint)));
      complaints.splice(0);
    },

    /** Looks at what must hold on every page. `expected`: what the console may say all the same. */
    async look(what: string, expected = /^$/) {
      await settle(page);
      if (keepsPictures) await keepPicture(what);
      assert.deepEqual(await seriousFindings(page), [], `${what}, ${width}: accessibility`);
      assert.deepEqual(
        complaints.splice(0).filter((complaint) => !expected.test(complaint)),
        [],
        `${what}, ${width}: console`,
      );
      const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
      assert.ok(!isTooWide, `${what}, ${width}: the page scrolls sideways`);
    },
    /** Takes a screenshot in the light and in the dark theme. */
    async lookInBothThemes(what: string, expected?: RegExp) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await visitor.look(`${what}-${colorScheme}`, expected);
      }
      await page.emulateMedia({ colorScheme: theme });
    },
    /** Loads a page and looks at how much it moves while it does. */
    async load(path: string, isThere: string) {
      await page.goto(path);
      await page.waitForSelector(isThere);
      await settle(page);
      const { sum, each } = await shiftsOf(page);
      assert.ok(sum < maxShift, `${path}, ${width}: moved by ${sum} while it loaded\n${each}`);
    },
    /** Opens the start with its editor. */
    async start() {
      await visitor.load('/', '.problems .valid');
      await page.waitForSelector('.picture .pod-box');
    },
    /** The text of a site, in a tab that is closed again: background tabs are drawn once a second. */
    async visit(address: string): Promise<string> {
      const site = await context.newPage();
      await site.goto(address);
      const text = await site.locator('body').innerText();
      await site.close();
      await page.bringToFront();
      return text;
    },
    /** The button that can be seen: a narrow page has it elsewhere. */
    deploy: () => page.locator('button.deploy:visible').click(),
    /** From the start page; the picture shows `pod` when the document is read. */
    async deployText(yaml: string, pod: string) {
      await visitor.start();
      const file = { name: 'a.yaml', mimeType: 'text/yaml', buffer: Buffer.from(yaml) };
      await page.setInputFiles('input[type=file]', file);
      await page.waitForSelector(`.picture .pod-box >> text=${pod}`);
      await visitor.deploy();
    },
    /** The session token that this browser has kept of the last deployment. */
    async token(): Promise<string> {
      const kept = await page.evaluate(() => localStorage.getItem('berth.deployments') ?? '');
      return /berth_[A-Za-z0-9_-]+/.exec(kept)![0];
    },
    async reach(state: 'running' | 'failed') {
      await page.waitForSelector(`.deployment-header .badge.${state}`);
    },
    openTab: (title: string) => page.locator('.tabs a', { hasText: title }).click(),
    close: () => context.close(),
  };
  return visitor;
}

export type Visitor = Awaited<ReturnType<typeof openVisitor>>;

/** In the page: a headless browser refuses notifications. A user's browser has not prompted yet. */
function askAboutNotifications() {
  if ('Notification' in globalThis) Object.defineProperty(Notification, 'permission', { get: () => 'default' });
}

/** Until nothing is loaded, drawn or faded in any more. */
async function settle(page: Page): Promise<void> {
  await page.waitForFunction(() => !document.querySelector('.skeleton'));
  await page.evaluate(async () => {
    await document.fonts.ready;
    const passing = document
      .getAnimations()
      .filter((animation) => animation.effect?.getTiming().iterations !== Number.POSITIVE_INFINITY);
    await Promise.all(passing.map((animation) => animation.finished.catch(() => {})));
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });
}

type Finding = { id: string; impact: string; nodes: { html: string; failureSummary: string }[] };

async function seriousFindings(page: Page): Promise<string[]> {
  // The page's policy lets in no script of others; the debugger's way is not the page's. It stays until the page is left.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await readFile(axeFile, 'utf8'));
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run: (options: object) => Promise<{ violations: Finding[] }> } }).axe.run({
      resultTypes: ['violations'],
    }),
  );
  return violations
    .filter(({ impact }) => seriousImpacts.includes(impact))
    .map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`,
    );
}
