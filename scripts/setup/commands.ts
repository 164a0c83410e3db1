/** Runs other programs with an argument list, never a shell string. A failure includes the last output lines. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

const outputLimitBytes = 64 * 1024 * 1024;
const lastLines = 15;

export type RunOptions = { cwd?: string; env?: Record<string, string> };

/** Runs a program and returns its standard output. Throws with the last lines of its output if it fails. */
export function run(argv: readonly [string, ...string[]], options: RunOptions = {}): Promise<string> {
  const [program, ...args] = argv;
  const env = { ...withoutSettings(process.env), ...options.env };
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: options.cwd, env, maxBuffer: outputLimitBytes }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const said = lastLinesOf(`${stdout}\n${stderr}`);
      reject(new Error(`${shortened(argv)} failed${said ? `:\n${said}` : ` (${error.message})`}`));
    });
  });
}

/**
 * Removes Berth's settings from the environment. Packages start long-running services, which must not get Berth's keys
 * and passwords.
 */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('BERTH_')));
}

function shortened(argv: readonly string[]): string {
  return argv.length > 12 ? `${argv.slice(0, 10).join(' ')} … (${argv.length - 10} more)` : argv.join(' ');
}

export async function succeeds(argv: readonly [string, ...string[]]): Promise<boolean> {
  return run(argv).then(
    () => true,
    () => false,
  );
}

/** Returns the path of a program. Also searches Debian's folders for daemons, which are not on every user's PATH. */
export async function findProgram(name: string, path = process.env.PATH): Promise<string | undefined> {
  const folders = [...(path ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];
  for (const folder of folders.filter(Boolean)) {
    const path = join(folder, name);
    const isExecutable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return path;
  }
  return undefined;
}

export function lastLinesOf(output: string, count = lastLines): string {
  const lines = output.split('\n').map((line) => line.trimEnd());
  return lines.filter(Boolean).slice(-count).join('\n');
}
