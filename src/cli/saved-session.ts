/**
 * The saved session of a folder: `.berth/config.json`, which contains the session token and is readable only by its
 * owner, and a `.gitignore` that keeps it out of repositories.
 */

import { lstat, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../lib/json.ts';
import { replaceSharedFile } from '../lib/replace-file.ts';
import { isSealed, type Seal } from './session-seal.ts';

export type SavedSession = {
  /** The service that the other fields belong to. */
  server?: string;
  sessionToken?: string;
  applicationName?: string;
  environment?: string;
  url?: string;
  /** A start without an answer so far. Sent again with the same key, it does not start a second deployment. */
  starting?: { key: string; document: string };
  /** The digest of the content that `berth up` sent last, and the resulting revision. */
  sent?: { content: string; revision: number };
};

const fields = ['server', 'sessionToken', 'applicationName', 'environment', 'url'] as const;

/**
 * Reads the saved session. `saved` is empty without a file. `isOwn`: whether the file was written with this seal.
 * @throws FolderError for a file that cannot be read.
 */
export async function readSession(
  folder: string,
  seal: Seal | undefined,
): Promise<{ saved: SavedSession; isOwn: boolean }> {
  const text = await readFolderFile(folder, 'config.json');
  if (text === undefined) return { saved: {}, isOwn: true };
  const { seal: shown, ...saved } = parseSession(text, sessionFile(folder));
  return { saved, isOwn: isSealed(seal, sealedText(saved), shown) };
}

export function sessionFile(folder: string): string {
  return join(folder, '.berth', 'config.json');
}

/** The fields that decide where requests are sent, and as which user. */
function sealedText(saved: SavedSession): string {
  return JSON.stringify(fields.map((field) => saved[field] ?? null));
}

/**
 * Reads a file of `.berth`, if it exists. A symbolic link in a cloned project could lead to the session of another
 * project, or to a public folder. @throws FolderError for a link and for a file that cannot be read.
 */
export async function readFolderFile(folder: string, name: string): Promise<string | undefined> {
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
    throw new FolderError(`${path} is a link, and Berth saves no session behind a link. Remove it.`);
}

function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function parseSession(text: string, file: string): SavedSession & { seal?: string } {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null)
    throw new FolderError(`${file} is not a JSON object: fix it, or remove it.`);
  const given = value as Record<string, unknown>;
  const saved: SavedSession & { seal?: string } = {};
  if (typeof given.seal === 'string') saved.seal = given.seal;
  for (const field of fields) if (typeof given[field] === 'string') saved[field] = given[field];
  const { key, document } = (given.starting ?? {}) as Record<string, unknown>;
  if (typeof key === 'string' && typeof document === 'string') saved.starting = { key, document };
  const { content, revision } = (given.sent ?? {}) as Record<string, unknown>;
  if (typeof content === 'string' && typeof revision === 'number') saved.sent = { content, revision };
  return saved;
}

export async function saveSession(folder: string, saved: SavedSession, seal?: Seal): Promise<void> {
  const place = await prepareBerthFolder(folder);
  const sealed = { ...saved, ...(seal && { seal: seal(sealedText(saved)) }) };
  await replaceSharedFile(join(place, 'config.json'), `${JSON.stringify(sealed, undefined, 2)}\n`);
}

/**
 * Adds a session to the list of earlier sessions, before another session replaces it. Its token is the only key to its
 * deployment.
 * @returns the path of the list.
 */
export async function saveEarlierSession(folder: string, saved: SavedSession): Promise<string> {
  const place = await prepareBerthFolder(folder);
  const text = await readFolderFile(folder, 'earlier.json');
  const kept = text === undefined ? [] : parseEarlierSessions(text, join(place, 'earlier.json'));
  const { server, sessionToken, applicationName, environment, url } = saved;
  const others = kept.filter((each) => (each as SavedSession | null)?.sessionToken !== sessionToken);
  const earlier = [...others, { server, applicationName, environment, url, sessionToken }];
  await replaceSharedFile(join(place, 'earlier.json'), `${JSON.stringify(earlier, undefined, 2)}\n`);
  return join('.berth', 'earlier.json');
}

function parseEarlierSessions(text: string, file: string): unknown[] {
  const value = parseJson(text);
  if (Array.isArray(value)) return value;
  throw new FolderError(`${file} is not a JSON list: fix it, or remove it.`);
}

/** The path of `.berth`. Creates the folder with its `.gitignore` if it is missing. */
export async function prepareBerthFolder(folder: string): Promise<string> {
  const place = join(folder, '.berth');
  await refuseLink(place);
  await mkdir(place, { recursive: true, mode: 0o700 });
  await writeFile(join(place, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return place;
}

/** An error with a message for the user. */
export class FolderError extends Error {}
