/** What somebody is writing: kept while the tab is open, so that a reload or a look elsewhere loses nothing. */
const key = 'berth.draft';

export function readDraft(): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keepDraft(text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // A browser that keeps nothing.
  }
}
