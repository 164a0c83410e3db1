/**
 * Packs a folder with untrusted, unchanging content as a tar. GNU tar writes it, because it detects the holes of sparse
 * files: an empty file of 1 TB takes 1 kB. Links are not followed, and only directories, files and links are listed for
 * it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { programEnvironment } from '../../../lib/run-program.ts';

/** Programs that are under way, to be ended before what they read goes. */
export type Packing = Set<ChildProcess>;

const wantedKinds = ['(', '-type', 'f', '-o', '-type', 'd', '-o', '-type', 'l', ')'];
const tarArguments = ['--create', '--format=gnu', '--sparse', '--numeric-owner', '--no-recursion', '--null'];

/** Of the whole tar, in bytes; what files hold is not read for it. Throws at the abort. */
export async function packedSize(folder: string, packing: Packing, signal?: AbortSignal): Promise<number> {
  signal?.throwIfAborted();
  // To the null device, tar writes nothing, and says how much it would have been.
  const { tar, ended } = startTar(folder, ['--totals', '--file=/dev/null'], packing);
  tar.stdout!.resume();
  const end = () => tar.kill('SIGKILL');
  signal?.addEventListener('abort', end, { once: true });
  const said = await ended.finally(() => signal?.removeEventListener('abort', end));
  const bytes = /^Total bytes written: (\d+) /m.exec(said)?.[1];
  if (bytes === undefined) throw new Error('tar did not report the size');
  return Number(bytes);
}

/** To be read to its end, or destroyed. */
export function packFolder(folder: string, packing: Packing, signal: AbortSignal): Readable {
  return Readable.from(piecesOf(folder, packing), { objectMode: false, signal });
}

async function* piecesOf(folder: string, packing: Packing): AsyncGenerator<Uint8Array> {
  const { tar, ended } = startTar(folder, ['--file=-'], packing);
  ended.catch(() => {});
  try {
    yield* tar.stdout as AsyncIterable<Uint8Array>;
    await ended;
  } finally {
    tar.kill('SIGKILL');
  }
}

/** Ends what is under way. */
export async function stopPacking(packing: Packing): Promise<void> {
  await Promise.all(
    [...packing].map(async (child) => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }),
  );
}

function startTar(folder: string, more: readonly string[], packing: Packing) {
  const options = { cwd: folder, env: programEnvironment };
  const find = spawn('find', ['.', '-xdev', ...wantedKinds, '-print0'], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const tar = spawn('tar', [...tarArguments, ...more, '--files-from=-'], { ...options, stdio: 'pipe' });
  // The exit codes decide, in any order of the ends.
  find.stdout.on('error', () => {}).pipe(tar.stdin.on('error', () => {}));
  const both = [succeeded(find, 'find', packing), succeeded(tar, 'tar', packing)] as const;
  return { tar, ended: Promise.all(both).then(([, said]) => said) };
}

/** The output on standard error. */
async function succeeded(child: ChildProcess, name: string, packing: Packing): Promise<string> {
  packing.add(child);
  let said = '';
  child.stderr!.on('data', (piece: Uint8Array) => {
    said = `${said}${String(piece)}`.slice(-2_000);
  });
  try {
    const [status] = (await once(child, 'close')) as [number | null];
    if (status !== 0) throw new Error(`${name} has ended with ${status}: ${said.trim()}`);
    return said;
  } finally {
    packing.delete(child);
  }
}
