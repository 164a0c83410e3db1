/** Measurements of a page in use: when it was painted, how much moved, and its longest task. */
import type { Page } from 'playwright-core';

export type PageMetrics = { paintedMs: number; shift: number; longestTaskMs: number };

type Watched = { metrics: PageMetrics };

/** To be called before the page is loaded. */
export async function watchPage(page: Page): Promise<void> {
  await page.addInitScript(watch);
}

export function pageMetrics(page: Page): Promise<PageMetrics> {
  return page.evaluate(() => (globalThis as unknown as Watched).metrics);
}

/** The longest task of `act` until the page has come to rest, in milliseconds; 0: none above 50 ms. */
export async function longestTaskOf(page: Page, act: () => Promise<void>): Promise<number> {
  await page.waitForTimeout(restMs);
  await page.evaluate(() => {
    (globalThis as unknown as Watched).metrics.longestTaskMs = 0;
  });
  await act();
  await page.waitForTimeout(restMs);
  return (await pageMetrics(page)).longestTaskMs;
}

const restMs = 500;

/** In the page, before anything else. */
function watch() {
  const metrics: PageMetrics = { paintedMs: 0, shift: 0, longestTaskMs: 0 };
  (globalThis as unknown as Watched).metrics = metrics;
  const each = (type: string, look: (entry: never) => void) => {
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) look(entry as never);
    });
    observer.observe({ type, buffered: true });
  };
  each('largest-contentful-paint', ({ startTime }: PerformanceEntry) => {
    metrics.paintedMs = startTime;
  });
  each('layout-shift', ({ value, hadRecentInput }: { value: number; hadRecentInput: boolean }) => {
    if (!hadRecentInput) metrics.shift += value;
  });
  each('longtask', ({ duration }: PerformanceEntry) => {
    metrics.longestTaskMs = Math.max(metrics.longestTaskMs, duration);
  });
}
