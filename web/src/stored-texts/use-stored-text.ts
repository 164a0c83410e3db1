/**
 * Stored texts for components. They are in the storage of this origin, like the session tokens, so that they outlive
 * the tab and are the same in all tabs.
 */
import { useSyncExternalStore } from 'react';
import { keyOf, readStored, type StoredText, storeIn } from './stored-texts.ts';

const listeners = new Set<() => void>();
/**
 * The last value of each name, so that an unchanged text is the same object. The only store if the browser has none.
 */
const known = new Map<string, { stored: string | null; kept: StoredText | undefined }>();

export function useStoredText(name: string): StoredText | undefined {
  return useSyncExternalStore(subscribe, () => storedAs(name));
}

export function storedAs(name: string): StoredText | undefined {
  const before = known.get(name);
  const stored = readItem(name, before?.stored ?? null);
  if (before && before.stored === stored) return before.kept;
  const kept = readStored(stored);
  known.set(name, { stored, kept });
  return kept;
}

export function storeText(name: string, text: string, more: Omit<StoredText, 'text' | 'keptAt'> = {}): void {
  const kept: StoredText = { text, keptAt: new Date().toISOString(), ...more };
  if (!isTaken(name, kept)) {
    remove(name);
    known.set(name, { stored: null, kept });
  }
  notify();
}

export function drop(name: string): void {
  known.delete(name);
  remove(name);
  notify();
}

/** Removes texts of a user from a browser that other users share. */
export function dropAllBut(isTheirs: (name: string) => boolean): void {
  for (const name of namesIn()) if (!isTheirs(name)) drop(name);
}

function remove(name: string): void {
  try {
    localStorage.removeItem(keyOf(name));
  } catch {
    // Without storage, nothing needs to be removed.
  }
}

function namesIn(): string[] {
  try {
    const stored = Object.keys(localStorage).filter((key) => key.startsWith(keyOf('')));
    return [...new Set([...known.keys(), ...stored.map((key) => key.slice(keyOf('').length))])];
  } catch {
    return [...known.keys()];
  }
}

function isTaken(name: string, kept: StoredText): boolean {
  try {
    return storeIn(localStorage, name, kept);
  } catch {
    return false;
  }
}

function readItem(name: string, otherwise: string | null): string | null {
  try {
    return localStorage.getItem(keyOf(name));
  } catch {
    return otherwise;
  }
}

function notify(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  const fromElsewhere = ({ key }: StorageEvent) => (key === null || key.startsWith(keyOf(''))) && listener();
  listeners.add(listener);
  window.addEventListener('storage', fromElsewhere);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', fromElsewhere);
  };
}
