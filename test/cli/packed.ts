/** The command as users install it: packed, and unpacked by npm into an empty folder. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { buildPackage } from '../../scripts/cli/build.ts';

const run = promisify(execFile);

export type Outcome = { status: number | null; stdout: string; stderr: string };
type Starting = { cwd?: string; env?: Record<string, string>; input?: string };
export type Packed = Awaited<ReturnType<typeof installPacked>>;

/** `npm` contacts no registry, because there is nothing to fetch. */
export async function installPacked() {
  const folder = await mkdtemp(join(tmpdir(), 'berth-packed-'));
  await buildPackage(join(folder, 'built'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder, join(folder, 'built')]);
  const [{ filename, size }] = JSON.parse(stdout) as [{ filename: string; size: number }];
  const installed = join(folder, 'empty');
  await mkdir(installed);
  await writeFile(join(installed, 'package.json'), '{"name":"empty","private":true}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], { cwd: installed });
  const program = join(installed, 'node_modules/berth/berth.mjs');
  return {
    folder: installed,
    /** Bytes of the tarball. */
    size,
    program,
    /** Starts it; `kill` is Ctrl-C. */
    start(words: string[], { cwd = installed, env = {}, input = '' }: Starting = {}) {
      const { PATH, NODE_COMPILE_CACHE } = process.env;
      const options = { cwd, env: { PATH, NODE_COMPILE_CACHE, HOME: folder, ...env } };
      const child = spawn(process.execPath, [program, ...words], { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
      // A program that does not read its input may have ended before the input arrives.
      child.stdin.on('error', () => {}).end(input);
      const stdout = collect(child.stdout);
      const stderr = collect(child.stderr);
      return {
        /** Resolves at its first words on the standard output. */
        spoken: once(child.stdout, 'data'),
        interrupt: () => child.kill('SIGINT'),
        /** Its output so far. */
        told: () => ({ stdout: stdout(), stderr: stderr() }),
        ended: once(child, 'close').then(
          ([status]): Outcome => ({ status: status as number | null, stdout: stdout(), stderr: stderr() }),
        ),
      };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The text so far. */
function collect(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (piece) => {
    text += piece;
  });
  return () => text;
}
