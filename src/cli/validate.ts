/** `berth validate`: reads files and prints their problems. */
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Diagnostic } from '../config/diagnostics/diagnostics.ts';
import { maxDocumentBytes } from '../config/document/source.ts';
import { parseConfiguration } from '../config/parse.ts';
import { type Checked, renderChecked, renderSummary } from './render.ts';
import type { Streams } from './terminal.ts';

const statuses = { valid: 0, invalid: 1, unreadable: 2 } as const;

/** The service's findings. `images`: why they were not checked; absent if they were. */
export type ServiceFindings = { isValid: boolean; diagnostics: Diagnostic[]; images?: string };

type Options = {
  asJson: boolean;
  process: Streams;
  /** Sends a valid document to the service. Without it, images are not checked. */
  checkWithService?: (text: string) => Promise<ServiceFindings | { images: string }>;
};

/** Returns the exit status: 2 if a file could not be read, 1 if a file is not valid. */
export async function validate(files: readonly string[], options: Options): Promise<number> {
  const { stdin, stdout, stderr, env } = options.process;
  const inColour = stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  const checked: Checked[] = [];
  const unreadable: { file: string; error: string }[] = [];
  for (const file of files) {
    try {
      const name = file === '-' ? '(standard input)' : file;
      const text = await readDocument(file, stdin);
      const { kind, diagnostics } = parseConfiguration(text);
      const isValid = kind === 'valid';
      const findings =
        isValid && options.checkWithService ? await options.checkWithService(text) : { images: 'not checked' };
      const one: Checked = { file: name, text, isValid, diagnostics, ...findings };
      checked.push(one);
      if (!options.asJson) stdout.write(renderChecked(one, inColour));
    } catch (error) {
      unreadable.push({ file, error: printFinding(error) });
      stderr.write(`${file}: ${printFinding(error)}\n`);
    }
  }
  if (options.asJson) stdout.write(`${JSON.stringify(asJson(checked, unreadable), null, 2)}\n`);
  else if (files.length > 1) stdout.write(renderSummary(checked, inColour));
  if (unreadable.length > 0) return statuses.unreadable;
  return checked.every(({ isValid }) => isValid) ? statuses.valid : statuses.invalid;
}

function asJson(checked: Checked[], unreadable: { file: string; error: string }[]) {
  const read = checked.map(({ file, isValid, diagnostics, images }) => ({
    file,
    valid: isValid,
    images: images === undefined ? 'checked' : 'not checked',
    diagnostics,
  }));
  return {
    valid: unreadable.length === 0 && checked.every(({ isValid }) => isValid),
    files: [...read, ...unreadable.map((one) => ({ ...one, valid: false, diagnostics: [] }))],
  };
}

/** One byte more than the limit shows that a document is too large. The rest of a huge file is not read. */
const readAtMost = maxDocumentBytes + 1;

/** A file, or the standard input for `-`. Throws what `inWords` explains. */
export async function readDocument(file: string, stdin: Readable): Promise<string> {
  return file === '-' ? await readStream(stdin) : await readFile(file);
}

async function readFile(file: string): Promise<string> {
  await using handle = await open(file);
  const buffer = Buffer.alloc(readAtMost);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, readAtMost - length);
    length += bytesRead;
    if (bytesRead === 0 || length === readAtMost) return buffer.toString('utf8', 0, length);
  }
}

async function readStream(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk));
    length += chunk.length;
    if (length >= readAtMost) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

const words: Record<string, string> = {
  ENOENT: 'the file does not exist',
  EACCES: 'the file cannot be read: permission denied',
  EISDIR: 'this is a folder, not a file',
};

export function printFinding(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code && words[code]) ?? message;
}
