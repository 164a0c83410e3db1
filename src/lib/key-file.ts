/**
 * The file with an installation's keys, if no setting contains them. Its readers can decrypt all stored data. A single
 * key is stored as plain text. During a key change, the file contains several as a JSON list, the newest first.
 */
import {
  closeSync,
  fchownSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { newId, newToken } from './ids.ts';
import type { Keys } from './seal.ts';

const mode = 0o600;
const draftMark = '.draft-';

/** Undefined if the file does not exist. Throws if it is unreadable or empty. */
export function readKeys(file: string): Keys | undefined {
  const text = orUndefined(() => readFileSync(file, 'utf8'));
  if (text === undefined) return undefined;
  if (text === '') throw new Error(`The key file ${file} is empty.`);
  return asList(text) ?? [text];
}

/** A new key. */
export function newKey(): string {
  return newToken('berth');
}

/** Creates the file with a new key if it does not exist, atomically. */
export function provideKeys(file: string): void {
  if (readKeys(file)) return;
  const draft = writeDraft(file, newKey());
  try {
    linkSync(draft, file);
    syncFolder(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}

/**
 * Replaces the file atomically and keeps its owner. Only one process at a time: the caller holds a write transaction of
 * the database.
 */
export function replaceKeys(file: string, keys: Keys): void {
  // If the file is a link, its target is replaced.
  const place = realpathSync(file);
  clearDrafts(place);
  const draft = writeDraft(place, keys.length === 1 ? keys[0] : JSON.stringify(keys), statSync(place));
  renameSync(draft, place);
  syncFolder(place);
}

/**
 * Returns the current keys of the file at each call; checking for a change takes microseconds. Removed keys stay at the
 * end of the list, because a value that was just read may still need them. While the file is missing, all keys stay.
 * `older`: keys that were never in it.
 */
export function followKeys(file: string, older: readonly string[] = []): () => Keys {
  let seen: string | undefined;
  let keys: Keys | undefined;
  return () => {
    const present = orUndefined(() => statSync(file, { bigint: true }));
    const identity = present && [present.dev, present.ino, present.mtimeNs, present.ctimeNs, present.size].join();
    if (keys && (identity === undefined || identity === seen)) return keys;
    const found = readKeys(file) ?? keys;
    if (!found) throw new Error(`The key file does not exist: ${file}.`);
    keys = [...new Set([...found, ...older, ...(keys ?? [])])] as [string, ...string[]];
    seen = identity;
    return keys;
  };
}

/** Removes drafts that a process killed during a write has left next to the file. As `replaceKeys`. */
export function clearDrafts(file: string): void {
  const place = orUndefined(() => realpathSync(file));
  if (place === undefined) return;
  const beginning = `${basename(place)}${draftMark}`;
  for (const name of readdirSync(dirname(place))) {
    if (name.startsWith(beginning)) rmSync(join(dirname(place), name), { force: true });
  }
}

function asList(text: string): Keys | undefined {
  if (!text.startsWith('[')) return undefined;
  const keys: unknown = JSON.parse(text);
  const isList = Array.isArray(keys) && keys.length > 0 && keys.every((key) => typeof key === 'string' && key !== '');
  if (!isList) throw new Error('The key file is not a list of keys.');
  return keys as unknown as Keys;
}

function writeDraft(file: string, text: string, owner?: { uid: number; gid: number }): string {
  const draft = `${file}${draftMark}${newId()}`;
  const descriptor = openSync(draft, 'wx', mode);
  try {
    writeFileSync(descriptor, text);
    // The service must be able to read a file that the operator has written as root.
    if (owner) fchownSync(descriptor, owner.uid, owner.gid);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return draft;
}

/** A new name is on the disk when its folder is. */
function syncFolder(file: string): void {
  const folder = openSync(dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
