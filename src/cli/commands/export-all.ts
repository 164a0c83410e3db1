/** `berth export all`: everything that a deployment needs to run elsewhere, in a folder or as the tar that it comes in. */
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { problemOf } from '../../client/ask.ts';
import { createClient } from '../../client/client.ts';
import { unpackFiles } from '../../lib/unpack-files.ts';
import { patientFetch } from '../patient-fetch.ts';
import { printable } from '../render.ts';
import { statuses } from '../words.ts';
import type { Context, Target } from './command.ts';

export async function exportAll(context: Context, target: Target): Promise<number> {
  const { connection, options, terminal, streams, signal } = context;
  const to = typeof options.to === 'string' ? options.to : target.applicationName;
  const query = {
    ...target,
    ...(options.secrets === true && { secrets: 'true' as const }),
    ...(options['without-volumes'] === true && { volumes: 'false' as const }),
  };
  const { server: baseUrl, token } = connection;
  const client = createClient({ baseUrl, token, fetch: patientFetch });
  const answer = await client.open('exportDeployment', { query, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  const response = answer.value;
  if (response.status !== 200 || !response.body) {
    const body: unknown = await response.json().catch(() => undefined);
    return terminal.refuse(problemOf(response, body));
  }
  const tar = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
  try {
    if (to === '-') {
      await pipeline(tar, streams.stdout as NodeJS.WritableStream, { end: false, signal });
      return statuses.done;
    }
    const path = resolve(to);
    const files = to.endsWith('.tar') ? await writeFileWhole(path, tar, signal) : await unpackFolder(path, tar);
    terminal.json({ path, ...(files !== undefined && { files }) });
    terminal.note(
      files === undefined
        ? `${printable(to)} has everything: unpack it, and read its README.md.`
        : `${printable(to)} has everything: ${printable(join(to, 'README.md'))} says how to start it.`,
    );
    return statuses.done;
  } catch (error) {
    if (signal.aborted) return statuses.interrupted;
    return terminal.fail(`The export is incomplete and was removed: ${printable((error as Error).message)}`);
  }
}

async function writeFileWhole(path: string, tar: Readable, signal: AbortSignal): Promise<undefined> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  let isOurs = false;
  file.once('open', () => {
    isOurs = true;
  });
  try {
    await pipeline(tar, file, { signal });
  } catch (error) {
    if (isOurs) await rm(path, { force: true });
    throw error;
  }
}

/** A new folder, so that the files do not mix with existing ones. */
async function unpackFolder(path: string, tar: Readable): Promise<number> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    tar.destroy();
    throw error;
  }
  try {
    return await unpackFiles(tar, path);
  } catch (error) {
    await rm(path, { recursive: true, force: true });
    throw error;
  }
}
