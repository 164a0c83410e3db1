/**
 * A folder's memory of its deployment: `.berth/config.json`, which contains its token and is readable only by its
 * owner, and a `.gitignore` that keeps it out of repositories.
 */

import { lstat, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../lib/json.ts';
import { replaceSharedFile } from '../lib/replace-file.ts';
import { isSealed, type Seal } from './memory-seal.ts';

export type Memory = {
  /** The service that all else is of. */
  server?: string;
  sessionToken?: string;
  applicationName?: string;
  environment?: string;
  url?: string;
  /** A start that was sent and whose answer has not come: sent again with its key, it is the same start. */
  starting?: { key: string; document: string };
  /** The digest of the content that `berth up` sent last, and the resulting revision. */
  sent?: { content: string; revision: number };
};

const fields = ['server', 'sessionToken', 'applicationName', 'environment', 'url'] as const;

/**
 * Empty without a memory. `isOwn`: whether it was written with this seal.
 * @throws FolderError for a file that cannot be read.
 */
export async function recallSealed(
  folder: string,
  seal: Seal | undefined,
): Promise<{ memory: Memory; isOwn: boolean }> {
  const text = await readRemembered(folder, 'config.json');
  if (text === undefined) return { memory: {}, isOwn: true };
  const { seal: shown, ...memory } = readMemory(text, memoryFile(folder));
  return { memory, isOwn: isSealed(seal, sealedText(memory), shown) };
}

export function memoryFile(folder: string): string {
  return join(folder, '.berth', 'config.json');
}

/** The fields that decide where requests go, and as which user. */
function sealedText(memory: Memory): string {
  return JSON.stringify(fields.map((field) => memory[field] ?? null));
}

/**
 * A file of the memory, if it exists. A link in a cloned project could lead to the memory of another one, or to a
 * public place. @throws FolderError for a link and for a file that cannot be read.
 */
export async function readRemembered(folder: string, name: string): Promise<string | undefined> {
  const place = join(folder, '.berth');
  const file = join(place, name);
  await refuseLink(place);
  await refuseLink(file);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw new FolderError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

async function refuseLink(path: string): Promise<void> {
  const found = await lstat(path).catch((error) => {
    if (isAbsence(error)) return undefined;
    throw error;
  });
  if (found?.isSymbolicLink())
    throw new FolderError(`${path} is a link, and nothing is remembered behind one: remove it.`);
}

function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function readMemory(text: string, file: string): Memory & { seal?: string } {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null)
    throw new FolderError(`${file} is not a JSON object: fix it, or remove it.`);
  const given = value as Record<string, unknown>;
  const memory: Memory & { seal?: string } = {};
  if (typeof given.seal === 'string') memory.seal = given.seal;
  for (const field of fields) if (typeof given[field] === 'string') memory[field] = given[field];
  const { key, document } = (given.starting ?? {}) as Record<string, unknown>;
  if (typeof key === 'string' && typeof document === 'string') memory.starting = { key, document };
  const { content, revision } = (given.sent ?? {}) as Record<string, unknown>;
  if (typeof content === 'string' && typeof revision === 'number') memory.sent = { content, revision };
  return memory;
}

export async function remember(folder: string, memory: Memory, seal?: Seal): Promise<void> {
  const place = await prepareMemoryFolder(folder);
  const sealed = { ...memory, ...(seal && { seal: seal(sealedText(memory)) }) };
  await replaceSharedFile(join(place, 'config.json'), `${JSON.stringify(sealed, undefined, 2)}\n`);
}

/**
 * Keeps what the folder remembers of a deployment before it remembers another one instead, once: the token is the only
 * key to it.
 * @returns the file.
 */
export async function keepEarlier(folder: string, memory: Memory): Promise<string> {
  const place = await prepareMemoryFolder(folder);
  const text = await readRemembered(folder, 'earlier.json');
  const kept = text === undefined ? [] : readEarlier(text, join(place, 'earlier.json'));
  const { server, sessionToken, applicationName, environment, url } = memory;
  const others = kept.filter((each) => (each as Memory | null)?.sessionToken !== sessionToken);
  const earlier = [...others, { server, applicationName, environment, url, sessionToken }];
  await replaceSharedFile(join(place, 'earlier.json'), `${JSON.stringify(earlier, undefined, 2)}\n`);
  return join('.berth', 'earlier.json');
}

function readEarlier(text: string, file: string): unknown[] {
  const value = parseJson(text);
  if (Array.isArray(value)) return value;
  throw new FolderError(`${file} is not a JSON list: fix it, or remove it.`);
}

/** Where everything lies that the folder remembers: made where it is missing, and kept out of repositories. */
export async function prepareMemoryFolder(folder: string): Promise<string> {
  const place = join(folder, '.berth');
  await refuseLink(place);
  await mkdir(place, { recursive: true, mode: 0o700 });
  await writeFile(join(place, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return place;
}

/** A mistake in words for the caller. */
export class FolderError extends Error {}
