/**
 * Parses the command line of `berth` and runs one command. Commands are loaded on demand, so that the help appears at
 * once.
 */
import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { printable } from '../lib/printable.ts';
import { helpOf, helpText, type ParsedArguments, parseArguments, statuses } from './arguments.ts';
import { ask, confirm } from './asking.ts';
import type { CommandName } from './command-table.ts';
import type { Streams } from './terminal.ts';
import type { UpContext } from './up/up-context.ts';

/** The environment of a command. */
export type Surroundings = Streams & {
  /** The folder that it works in. */
  folder: string;
  /** Aborts at Ctrl-C. */
  signal: AbortSignal;
  /** `berth admin`, where the server's own database may be. */
  admin?: (words: string[]) => Promise<number>;
};

/** `init` only with a template, `validate` only with images. */
type Remote = Exclude<CommandName, 'completion'>;

const runs: Record<Remote, () => Promise<(context: UpContext) => Promise<number>>> = {
  up: async () => (await import('./commands/up.ts')).up,
  deploy: async () => (await import('./commands/deploy.ts')).deploy,
  update: async () => (await import('./commands/deploy.ts')).update,
  validate: async () => (await import('./commands/validate-images.ts')).validateWithImages,
  preview: async () => (await import('./commands/preview.ts')).preview,
  revisions: async () => (await import('./commands/revisions.ts')).revisions,
  rollback: async () => (await import('./commands/revisions.ts')).rollback,
  status: async () => (await import('./commands/status.ts')).status,
  metrics: async () => (await import('./commands/metrics.ts')).metrics,
  images: async () => (await import('./commands/images.ts')).images,
  templates: async () => (await import('./commands/templates.ts')).templates,
  init: async () => (await import('./commands/templates.ts')).initFromTemplate,
  domains: async () => (await import('./commands/domains.ts')).domains,
  list: async () => (await import('./commands/status.ts')).list,
  whoami: async () => (await import('./commands/status.ts')).whoami,
  logs: async () => (await import('./commands/logs.ts')).logs,
  events: async () => (await import('./commands/logs.ts')).events,
  extend: async () => (await import('./commands/lifetime.ts')).extend,
  hold: async () => (await import('./commands/lifetime.ts')).hold,
  release: async () => (await import('./commands/lifetime.ts')).release,
  share: async () => (await import('./commands/share.ts')).share,
  claim: async () => (await import('./commands/lifetime.ts')).claim,
  remove: async () => (await import('./commands/lifetime.ts')).remove,
  restore: async () => (await import('./commands/restore.ts')).restore,
  snapshots: async () => (await import('./commands/snapshots.ts')).snapshots,
  snapshot: async () => (await import('./commands/snapshots.ts')).snapshot,
  restart: async () => (await import('./commands/running.ts')).restart,
  exec: async () => (await import('./commands/exec.ts')).exec,
  stop: async () => (await import('./commands/running.ts')).stop,
  start: async () => (await import('./commands/running.ts')).start,
  open: async () => (await import('./commands/lifetime.ts')).open,
  export: async () => (await import('./commands/export.ts')).exportDeployment,
  login: async () => (await import('./commands/login.ts')).login,
  logout: async () => (await import('./commands/login.ts')).logout,
  mcp: async () => (await import('./commands/mcp.ts')).mcp,
  version: async () => (await import('./commands/version.ts')).version,
};

/** @returns the status to end with. */
export async function run(words: string[], surroundings: Surroundings): Promise<number> {
  const { stdout, stderr, admin } = surroundings;
  if (words[0] === 'admin') {
    if (admin) return await admin(words.slice(1));
    stderr.write('berth admin uses the database of a service: run it on the machine of the service.\n');
    return statuses.unusable;
  }
  const read = parseArguments(words);
  switch (read.kind) {
    case 'help':
      stdout.write(read.of ? helpOf(read.of) : helpText());
      return statuses.done;
    case 'mistake':
      stderr.write(
        words.length === 0
          ? helpText()
          : `${printable(read.message)}\n"berth help${read.of ? ` ${read.of}` : ''}" lists what there is.\n`,
      );
      return statuses.unusable;
    case 'command':
      return await runCommand(read, surroundings);
  }
}

async function runCommand(command: ParsedArguments & { kind: 'command' }, surroundings: Surroundings): Promise<number> {
  const { name, given, asJson } = command;
  const { stdout, stderr } = surroundings;
  if (name === 'validate' && command.options['no-images']) {
    const { validate } = await import('./validate.ts');
    return await validate(given, { asJson, process: surroundings });
  }
  if (name === 'init' && command.options.template === undefined) {
    const { init } = await import('./init.ts');
    return await init(given[0], { asJson, from: surroundings.folder, streams: surroundings });
  }
  if (name === 'completion') {
    const { shells } = await import('./completion.ts');
    const shell = given[0]!;
    if (!Object.hasOwn(shells, shell)) {
      stderr.write(`Completion is not available for ${shell}, only for ${Object.keys(shells).join(' and ')}.\n`);
      return statuses.unusable;
    }
    stdout.write(shells[shell as keyof typeof shells]());
    return statuses.done;
  }
  return await callService(name, command, surroundings);
}

async function callService(
  name: Remote,
  { given, options, asJson }: ParsedArguments & { kind: 'command' },
  { folder: from, signal, ...streams }: Surroundings,
): Promise<number> {
  const { connect } = await import('./connect.ts');
  const { FolderError } = await import('./saved-session.ts');
  const { openSessionWriter } = await import('./session-writer.ts');
  const { readKeys } = await import('./api-keys.ts');
  const { openSeal } = await import('./session-seal.ts');
  const { trustedSession } = await import('./trusted-session.ts');
  const { createTerminal } = await import('./terminal.ts');
  const terminal = createTerminal(streams, asJson);
  try {
    const folder = name === 'up' ? await folderOf(resolve(from, given[0] ?? '.')) : from;
    const seal = await openSeal(streams.env);
    const isServerNamed = typeof options.server === 'string' || Boolean(streams.env.BERTH_SERVER);
    const asking = { streams, signal };
    const writer = await openSessionWriter(folder, seal, ({ url }, file) => {
      const what = printable(url ?? 'a session');
      terminal.printNote(
        `Another command has started ${what} in this folder at the same time: its token is kept in ${file}.`,
      );
    });
    const reconnect = async () => {
      const keys = await readKeys(streams.env);
      const saved = await trustedSession(folder, {
        seal,
        isServerNamed,
        terminal,
        confirm: (text) => confirm(text, asking),
        saveSession: writer.saveSession,
      });
      return typeof saved === 'string' ? saved : connect({ options, env: streams.env, saved, keys });
    };
    const connection = await reconnect();
    if (typeof connection === 'string') return terminal.fail(connection);
    const context: UpContext = {
      given,
      options,
      terminal,
      connection,
      reconnect,
      streams,
      signal,
      folder,
      ...writer,
      read: async (file) => await readFor(file, streams),
      confirm: (question, more) => confirm(question, { ...asking, ...more }),
      ask: (question, more) => ask(question, { ...asking, ...more }),
      open: openInBrowser,
    };
    const status = await (await runs[name]())(context);
    if (status === statuses.interrupted) terminal.printNote('Interrupted.');
    return status;
  } catch (error) {
    if (error instanceof FolderError || error instanceof Unreadable) return terminal.fail(error.message);
    throw error;
  }
}

async function folderOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return path;
  throw new Unreadable(`${path} is not a folder${found ? '; write -f FILE to choose a file of one' : ''}.`);
}

class Unreadable extends Error {}

async function readFor(file: string, { stdin }: Streams): Promise<string> {
  const { printFinding: inWords, readDocument } = await import('./validate.ts');
  try {
    return await readDocument(file, stdin);
  } catch (error) {
    throw new Unreadable(`${file}: ${inWords(error)}`);
  }
}

/** The address is an argument of its own: no shell reads it. */
function openInBrowser(url: string): Promise<boolean> {
  // The service has said it: a program of the desktop opens more than pages.
  if (!/^https?:\/\//i.test(url)) return Promise.resolve(false);
  const program = { darwin: ['open'], win32: ['rundll32', 'url.dll,FileProtocolHandler'] }[
    process.platform as string
  ] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const browser = spawn(program[0]!, [...program.slice(1), url], { stdio: 'ignore', detached: true });
    browser.once('error', () => resolve(false));
    browser.once('spawn', () => {
      browser.unref();
      resolve(true);
    });
  });
}
