/** Texts in the browser's storage: drafts, and the last sent text of each deployment. Pure. */

export type StoredText = {
  text: string;
  /** A date-time. */
  keptAt: string;
  /** For a draft of a deployment: the revision that it is based on. */
  revision?: number;
  /** As it was loaded, without edits. */
  isUntouched?: true;
  /** For a text from a link: the address that it was fetched from. */
  source?: string;
};

/** The used part of `localStorage`. */
export type TextStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/** The prefix of all keys, because the origin stores other keys, too. */
const prefix = 'berth.text/';
/** Browsers give an origin some 5 million characters. */
const maxCharacters = 2_000_000;

export function keyOf(name: string): string {
  return prefix + name;
}

/** Undefined also for data of other programs. */
export function readStored(stored: string | null): StoredText | undefined {
  try {
    const { text, keptAt, revision, isUntouched, source } = JSON.parse(stored ?? 'null') ?? {};
    if (typeof text !== 'string' || typeof keptAt !== 'string') return undefined;
    const kept: StoredText = { text, keptAt };
    if (Number.isInteger(revision)) kept.revision = revision;
    if (isUntouched === true) kept.isUntouched = true;
    if (typeof source === 'string') kept.source = source;
    return kept;
  } catch {
    return undefined;
  }
}

/** Returns the draft of a configuration: the stored one, or the text of the current revision. */
export function draftFrom(kept: StoredText | undefined, original: string, revision: number) {
  if (kept === undefined || kept.text === original) return { text: original, isChanged: false, begun: revision };
  return { text: kept.text, isChanged: true, begun: kept.revision ?? revision };
}

/** Stores a text, and removes the oldest ones if necessary. @returns whether it was stored. */
export function storeIn(storage: TextStorage, name: string, kept: StoredText): boolean {
  const value = JSON.stringify(kept);
  makeRoom(storage, keyOf(name), value.length);
  try {
    storage.setItem(keyOf(name), value);
    return true;
  } catch {
    return false;
  }
}

function makeRoom(storage: TextStorage, key: string, length: number): void {
  const others = Array.from({ length: storage.length }, (_, index) => storage.key(index))
    .filter((other): other is string => other !== null && other !== key && other.startsWith(prefix))
    .map((other) => {
      const stored = storage.getItem(other) ?? '';
      return { key: other, length: stored.length, keptAt: readStored(stored)?.keptAt ?? '' };
    })
    .toSorted((a, b) => b.keptAt.localeCompare(a.keptAt));
  let sum = length;
  for (const other of others) {
    sum += other.length;
    if (sum > maxCharacters) storage.removeItem(other.key);
  }
}
