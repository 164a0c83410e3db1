/**
 * `berth init`: writes a first document for a folder, based on its files. It does not prompt, and does not change
 * existing files.
 */
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openFiles } from '../folder/folder-files.ts';
import { type Draft, draftFolder } from '../folder/starter/draft-folder.ts';
import { statuses } from './arguments.ts';
import { printable } from './render.ts';
import type { Streams } from './terminal.ts';

/** @returns the status to end with. */
export async function init(
  /** The folder as the user named it, if so. `from`: the working directory. */
  named: string | undefined,
  { asJson, from, streams }: { asJson: boolean; from: string; streams: Streams },
): Promise<number> {
  const folder = resolve(from, named ?? '.');
  const opened = openFolder(folder);
  if (!opened) {
    streams.stderr.write(`${printable(folder)} is not a folder.\n`);
    return statuses.unusable;
  }
  const draft = draftFolder(opened);
  const written: string[] = [];
  for (const { name, content } of draft.kind === 'draft' ? draft.files : []) {
    const problem = await writeNew(join(opened.folder, name), content);
    if (problem) {
      streams.stderr.write(`${name} cannot be written: ${problem}.\n`);
      return statuses.unusable;
    }
    written.push(name);
  }
  const { words, isDone } = summaryOf(draft, named === undefined ? 'berth up' : `berth up ${named}`);
  if (asJson) streams.stdout.write(`${JSON.stringify({ ...resultOf(draft), written }, null, 2)}\n`);
  else (isDone ? streams.stdout : streams.stderr).write(`${words.map(printable).join('\n')}\n`);
  return isDone ? statuses.done : statuses.refused;
}

function openFolder(folder: string) {
  try {
    const files = openFiles(folder);
    return files.look(files.folder).kind === 'folder' ? files : undefined;
  } catch {
    // The folder is missing or not readable.
    return undefined;
  }
}

/** Never replaces an existing file, and follows no link. */
async function writeNew(path: string, content: string): Promise<string | undefined> {
  try {
    await writeFile(path, content, { flag: 'wx' });
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'EEXIST' ? 'the file already exists' : code === 'EACCES' ? 'the folder is not writable' : message;
  }
}

function resultOf(draft: Draft) {
  if (draft.kind === 'draft') return { found: draft.found, port: draft.port, isGuess: draft.isGuess };
  return draft.kind === 'there' ? { there: draft.file } : { lookedFor: draft.lookedFor };
}

function summaryOf(draft: Draft, up: string): { words: string[]; isDone: boolean } {
  if (draft.kind === 'nothing') {
    const words = [`Found no project to start from: looked for ${draft.lookedFor.join(', ')}.`];
    return { words: [...words, 'Write a Dockerfile, and run "berth init" again.'], isDone: false };
  }
  if (draft.kind === 'there') {
    const { file, isCompose } = draft;
    if (isCompose) return { words: [`"${up}" takes ${file} as it is; nothing was written.`], isDone: true };
    return { words: [`${file} is there already; nothing was changed. "${up}" takes it.`], isDone: false };
  }
  const { found, port, isGuess, files } = draft;
  return {
    words: [
      `Found ${found}.`,
      ...files.map(({ name }) => `  wrote    ${name}`),
      ...(isGuess ? [`Nothing says the port: ${port} is a guess; change it where it is wrong.`] : []),
      `Next: "${up} --dry-run" says what would be done, and "${up}" does it.`,
    ],
    isDone: true,
  };
}
