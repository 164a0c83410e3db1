/** Resolves when the current rendering is painted. In a hidden tab, which does not paint, resolves at once. */
export function afterPaint(): Promise<void> {
  if (document.hidden) return Promise.resolve();
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}
