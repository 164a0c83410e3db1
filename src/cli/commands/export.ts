/** `berth export`: the configuration as a Compose file or Kubernetes manifests, generated locally; or all data. */

import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createClient } from '../../client/client.ts';
import { problemOf } from '../../client/request.ts';
import { exportCompose } from '../../config/export/compose-file.ts';
import { exportKubernetes } from '../../config/export/kubernetes.ts';
import { parseConfiguration } from '../../config/parse.ts';
import { unpackFiles } from '../../lib/unpack-files.ts';
import { statuses } from '../arguments.ts';
import { patientFetch } from '../patient-fetch.ts';
import { printable } from '../render.ts';
import { type Context, type Run, type Target, targetOf } from './command.ts';

const formats = ['compose', 'kubernetes', 'all'];

export const exportDeployment: Run = async (context) => {
  const { given, connection, options, terminal, signal } = context;
  const format = given[0] ?? 'compose';
  if (!formats.includes(format)) return terminal.fail(`Unknown format "${format}"; choose ${formats.join(' or ')}.`);
  const target = await targetOf(context);
  if (typeof target === 'number') return target;
  if (format === 'all') return await exportAll(context, target);
  const answer = await connection.client.call('getDeploymentConfiguration', { query: target, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  const parsed = parseConfiguration(answer.value.yaml);
  if (parsed.kind !== 'valid') {
    return terminal.fail('This command cannot read the configuration that the service has: it may be an older one.');
  }
  const withSecrets = options.secrets === true;
  const { text, notes } =
    format === 'compose'
      ? exportCompose(parsed.spec, { withSecrets })
      : exportKubernetes(parsed.spec, { withSecrets, host: await hostOf(context, target) });
  terminal.json({ format, revision: answer.value.revision, text, notes });
  terminal.print(text);
  for (const note of notes) terminal.printNote(printable(note));
  return statuses.done;
};

/** Returns the current host, until the user names the future one. */
async function hostOf({ connection, options, signal }: Parameters<Run>[0], query: { applicationName: string }) {
  if (typeof options.host === 'string') return options.host;
  const answer = await connection.client.call('getDeploymentStatus', { query, signal });
  return answer.ok ? new URL(answer.value.url).hostname : `${query.applicationName}.example.com`;
}

/** `berth export all`: exports everything that a deployment needs to run elsewhere, as a folder or a tar. */
async function exportAll(context: Context, target: Target): Promise<number> {
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
    terminal.printNote(
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
