/** Unpacks an untrusted tar of files in one folder. It writes no files outside and creates no links. */
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar-stream';
import { orAbort } from './wait.ts';

/** A path segment: not `..`, and without characters that a terminal or a shell interprets. */
const step = /^(?!\.{1,2}$)[A-Za-z0-9._@+-]{1,200}$/;

/**
 * Unpacks the files into `folder`, without the tar's first folder. @returns the number of files. Throws for entries
 * that are not files.
 */
export async function unpackFiles(tar: Readable, folder: string): Promise<number> {
  const entries = extract();
  const broken = new AbortController();
  // A broken or truncated connection leaves an entry that waits for more data.
  for (const stream of [tar, entries] as { once(event: 'error', received: (error: Error) => void): unknown }[])
    stream.once('error', (error) => broken.abort(error));
  try {
    return await orAbort(unpackEntries(tar.pipe(entries), folder, broken.signal), broken.signal);
  } finally {
    tar.destroy();
    entries.destroy();
  }
}

async function unpackEntries(
  entries: ReturnType<typeof extract>,
  folder: string,
  broken: AbortSignal,
): Promise<number> {
  let files = 0;
  for await (const entry of entries) {
    const { name, type, mode = 0o600 } = entry.header;
    const [first = '', ...steps] = name.split('/');
    if (type !== 'file' || steps.length === 0 || ![first, ...steps].every((each) => step.test(each)))
      throw new Error(`it has an entry that no export has: ${JSON.stringify(name)}`);
    const path = join(folder, ...steps);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // Existing files are not overwritten.
    await pipeline(entry, createWriteStream(path, { flags: 'wx', mode: mode & 0o700 }), { signal: broken });
    files++;
  }
  return files;
}
