/** Resolves when what has been rendered by now is painted; at once in a tab that nobody sees, where nothing is. */
export function afterPaint(): Promise<void> {
  if (document.hidden) return Promise.resolve();
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}
