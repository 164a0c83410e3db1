/** HAProxy's process: found, started, replaced, stopped. It outlives the service. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ProgramError, runProgram } from '../../lib/run-program.ts';
import type { EdgePaths } from '../edge-paths.ts';
import { configurationFile } from './haproxy-configuration.ts';

/**
 * Before 2.6.3, a lookup in a table that is being replaced could return the entry of another host (HAProxy's "pattern:
 * only visit equivalent nodes when skipping versions").
 */
const oldestVersion = [2, 6, 3];

/** @throws if HAProxy is missing, too old to isolate tenants, or built without Lua, which wakes sleeping sites. */
export async function checkVersion(binary: string): Promise<void> {
  const { output, error } = await run(binary, ['-vv']);
  // A textual code comes from the system: the executable is missing. A number would be HAProxy's exit code.
  if (typeof error?.code === 'string')
    throw new Error(`HAProxy is not installed (no "${binary}"): apt-get install haproxy`);
  const version = /version (\d+)\.(\d+)(?:\.|-dev)(\d+)/.exec(output)?.slice(1).map(Number);
  if (!version) throw new Error(`"${binary} -vv" does not look like HAProxy: ${lastLines(output)}`);
  if (isOlder(version, oldestVersion))
    throw new Error(`HAProxy ${version.join('.')} is too old; ${oldestVersion.join('.')} or newer is needed.`);
  if (!output.includes('+LUA'))
    throw new Error(
      `"${binary}" was built without Lua; install the package of your distribution: apt-get install haproxy`,
    );
}

/**
 * Starts HAProxy from the files in its directory. Returns when it accepts connections. Replaced processes hand over
 * their listening sockets, finish their requests and end. @throws if it does not start, for example because of a used
 * port or an invalid configuration.
 */
export async function startProxy(
  binary: string,
  paths: EdgePaths,
  replaced: number[],
  handsOver: boolean,
): Promise<void> {
  const options = ['-D', '-C', paths.edge, '-f', configurationFile, '-p', paths.pidFile];
  const handOver = handsOver ? ['-x', 'admin.sock'] : [];
  const { output, error } = await run(binary, [
    ...options,
    ...handOver,
    ...replaced.flatMap((pid) => ['-sf', `${pid}`]),
  ]);
  if (!error) return;
  // The rest of the output does not help to choose another port.
  const taken = output.split('\n').find((line) => /address already in use/i.test(line));
  if (taken !== undefined) throw new PortTakenError(`HAProxy did not start: ${lastLines(taken)}`);
  throw new Error(`HAProxy did not start: ${lastLines(output) || error.message}`);
}

/** Another process listens on HAProxy's port. */
export class PortTakenError extends Error {}

/** Returns the HAProxy processes of this directory, including those that only finish their last connections. */
export async function findProxies(paths: EdgePaths): Promise<number[]> {
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const ours = await Promise.all(numbers.map((pid) => isOurs(pid, paths)));
  return numbers.filter((_, index) => ours[index]);
}

/** Ends every HAProxy of this directory, connections and all. @returns how many there were. */
export async function stopProxies(paths: EdgePaths): Promise<number> {
  const found = await findProxies(paths);
  await signalAll(found, 'SIGTERM', paths);
  for (let waitedMs = 0; waitedMs < 5000; waitedMs += 20) {
    if ((await findProxies(paths)).length === 0) break;
    await delay(20);
  }
  await killProxies(paths);
  await Promise.all([rm(paths.pidFile, { force: true }), rm(paths.adminSocket, { force: true })]);
  return found.length;
}

/** Kills processes that neither respond nor end. @returns the killed ones. */
export async function killProxies(paths: EdgePaths): Promise<number[]> {
  const found = await findProxies(paths);
  await signalAll(found, 'SIGKILL', paths);
  return found;
}

/** Process IDs are reused. The command line is checked right before the signal. */
async function signalAll(pids: number[], signal: NodeJS.Signals, paths: EdgePaths): Promise<void> {
  for (const pid of pids) if (await isOurs(pid, paths)) send(pid, signal);
}

/** A process that finishes its last connections may end at this moment. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A process that has ended and is not yet collected has an empty command line. */
async function isOurs(pid: number, paths: EdgePaths): Promise<boolean> {
  const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
  const directory = words.indexOf('-C');
  return directory > 0 && words[directory + 1] === paths.edge && words.includes(configurationFile);
}

type Outcome = { output: string; error?: ProgramError };

async function run(binary: string, words: string[]): Promise<Outcome> {
  try {
    return { output: await runProgram([binary, ...words], { timeoutMs: 20_000 }) };
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    return { output: `${error.stdout}${error.stderr}`, error };
  }
}

/** HAProxy explains itself in `[ALERT]` lines; the rest is greeting. */
function lastLines(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim());
  const alerts = lines.filter((line) => line.includes('[ALERT]'));
  return (alerts.length ? alerts : lines)
    .slice(-4)
    .map((line) => line.replace(/^\[ALERT\]\s*\(\d+\)\s*:\s*/, ''))
    .join('; ');
}

function isOlder(version: number[], other: number[]): boolean {
  const index = version.findIndex((number, position) => number !== other[position]);
  return index >= 0 && version[index]! < other[index]!;
}
