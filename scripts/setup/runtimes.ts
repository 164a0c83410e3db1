/**
 * Registers gVisor in the configuration file of the machine's Docker engine, which reads the file again without a
 * restart.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Docker from 'dockerode';
import {
  findRuntimeProblem,
  gvisorArguments,
  type KnownRuntime,
  knownRuntimes,
} from '../../src/engine/docker/host/runtime.ts';
import { type Announce, SetUpError } from './announce.ts';
import { run, succeeds } from './commands.ts';
import { provideGvisor } from './gvisor.ts';
import { asRoot, type Host } from './host.ts';

const usualFile = '/etc/docker/daemon.json';
const pidFile = '/var/run/docker.pid';
const reloadPatienceMs = 10_000;

/** The configuration of one engine, and a function that makes the engine reload it. */
export type EngineConfiguration = { docker: Docker; file: string; reload: () => Promise<void> };

/** Throws `SetUpError` with what to do when it is not in our power. */
export async function provideRuntime(host: Host, announce: Announce): Promise<void> {
  const docker = new Docker();
  if ('runsc' in (await knownRuntimes(docker))) return refuseUnfit(docker);
  const byHand = `Add this to its daemon.json, reload it (\`kill -HUP\`, or \`systemctl reload docker\`), and repeat the command: ${JSON.stringify({ runtimes: { runsc: entryFor('/usr/bin/runsc') } })}`;
  if (process.env.DOCKER_HOST) {
    throw new SetUpError(`The engine at DOCKER_HOST does not know gVisor (runsc). ${byHand}`);
  }
  const program = await provideGvisor(host, announce);
  const daemon = host.privilege === 'none' ? undefined : await findDaemon();
  if (!daemon) throw new SetUpError(`The Docker engine does not know gVisor (runsc). ${byHand}`);
  const reload = async () => void (await run(asRoot(host, ['kill', '-HUP', daemon.pid])));
  await announce(`Registering runsc with the Docker engine, in ${daemon.file}`, () =>
    registerGvisor(host, { docker, file: daemon.file, reload }, program),
  );
  await refuseUnfit(docker);
}

async function refuseUnfit(docker: Docker): Promise<void> {
  const problem = await findRuntimeProblem(docker, 'runsc');
  if (problem) throw new SetUpError(`BERTH_RUNTIME is runsc, but ${problem}.`);
}

/** Adds gVisor to the file. Then the engine has the runtime, or the file is unchanged. */
export async function registerGvisor(
  host: Host,
  { docker, file, reload }: EngineConfiguration,
  program: string,
  patienceMs = reloadPatienceMs,
): Promise<void> {
  const before = await readAsRoot(host, file);
  await replaceAsRoot(host, file, withRuntime(before ?? '', file, program));
  await reload();
  if (await isKnownInTime(docker, patienceMs)) return;
  if (before === undefined) await run(asRoot(host, ['rm', file]));
  else await replaceAsRoot(host, file, before);
  await reload();
  throw new SetUpError(
    `The Docker engine did not take the runtime runsc from ${file}, which is as it was before. Its log says why.`,
  );
}

async function isKnownInTime(docker: Docker, patienceMs: number): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    if ('runsc' in (await knownRuntimes(docker))) return true;
    await pause(50);
  }
  return false;
}

/**
 * PURE. The content of the configuration file with gVisor in it. Throws `SetUpError` if the file is not a valid
 * configuration.
 */
export function withRuntime(content: string, file: string, program: string): string {
  const configuration = content.trim() === '' ? {} : parseObject(content);
  const runtimes = configuration && (configuration.runtimes === undefined ? {} : asObject(configuration.runtimes));
  if (!runtimes) throw new SetUpError(`${file} is not what Docker reads: mend it and repeat the command.`);
  // Another user has added it, and the engine has not reloaded the file yet.
  if ('runsc' in runtimes) return content;
  const indent = /^\{\s*\n([ \t]+)"/.exec(content)?.[1] ?? '  ';
  const changed = { ...configuration, runtimes: { ...runtimes, runsc: entryFor(program) } };
  return `${JSON.stringify(changed, null, indent)}\n`;
}

function entryFor(program: string): KnownRuntime {
  return { path: program, runtimeArgs: [...gvisorArguments] };
}

function parseObject(content: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(content));
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}

/** The daemon of this machine, and its configuration file. */
async function findDaemon(): Promise<{ pid: string; file: string } | undefined> {
  const pid = (await readFile(pidFile, 'utf8').catch(() => '')).trim();
  const command = pid && (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
  // After the end of a daemon, its process ID may be reused.
  if (!command || !/(^|\/)dockerd\0/.test(command)) return undefined;
  return { pid, file: configurationFile(command.split('\0')) };
}

/** PURE. */
export function configurationFile(command: readonly string[]): string {
  const at = command.findIndex((word) => /^--?config-file(=|$)/.test(word));
  if (at < 0) return usualFile;
  return /=(.*)$/.exec(command[at]!)?.[1] ?? command[at + 1] ?? usualFile;
}

/** Undefined if the file does not exist. */
async function readAsRoot(host: Host, file: string): Promise<string | undefined> {
  return (await succeeds(asRoot(host, ['test', '-e', file]))) ? run(asRoot(host, ['cat', file])) : undefined;
}

/** Replaces the file atomically and keeps owner and mode, because it may contain passwords of proxies. */
async function replaceAsRoot(host: Host, file: string, content: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-configuration-'));
  try {
    const own = join(folder, 'content');
    await writeFile(own, content, { mode: 0o600 });
    const target = (await run(asRoot(host, ['readlink', '--canonicalize', file])).catch(() => file)).trim();
    await run(asRoot(host, ['mkdir', '--parents', dirname(target)]));
    await run(asRoot(host, ['install', '--mode=0600', own, `${target}.new`]));
    const isThere = await succeeds(asRoot(host, ['test', '-e', target]));
    if (isThere) await run(asRoot(host, ['chown', `--reference=${target}`, `${target}.new`]));
    await run(asRoot(host, ['chmod', isThere ? `--reference=${target}` : '0644', `${target}.new`]));
    await run(asRoot(host, ['mv', `${target}.new`, target]));
  } finally {
    await rm(folder, { recursive: true });
  }
}
