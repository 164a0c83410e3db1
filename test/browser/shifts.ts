/** Layout shifts of a page without user input. */
import type { Page } from 'playwright-core';

type Shift = { by: number; moved: string };
type LayoutShift = { value: number; hadRecentInput: boolean; sources: { node: Node | null }[] };

/** Before the page is opened. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: Shift[] = [];
    (globalThis as unknown as { shifts: Shift[] }).shifts = shifts;
    const nameOf = (node: Node | null): string => {
      if (node === null) return 'what is gone since';
      if (node instanceof Element) return (node.cloneNode() as Element).outerHTML;
      return `"${node.textContent?.slice(0, 40)}" in ${nameOf(node.parentNode)}`;
    };
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries() as unknown as LayoutShift[]) {
        if (!hadRecentInput) shifts.push({ by: value, moved: sources.map(({ node }) => nameOf(node)).join(', ') });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** The sum of all since the page was opened, and each with what moved. */
export async function shiftsOf(page: Page): Promise<{ sum: number; each: string }> {
  const shifts = await page.evaluate(() => (globalThis as unknown as { shifts: Shift[] }).shifts);
  return {
    sum: shifts.reduce((sum, { by }) => sum + by, 0),
    each: shifts.map(({ by, moved }) => `${by.toFixed(4)}: ${moved}`).join('\n'),
  };
}
