/** Starts an engine on machines without a service manager: a detached process that outlives its parent. */
import { spawn } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { programPath } from '../../src/lib/program-path.ts';
import { findProgram } from './commands.ts';
import { asRoot, type Host } from './host.ts';

type Environment = Record<string, string | undefined>;

/** Docker downloads three layers at a time over all pulls by default, so one stalled registry would delay all users. */
export const engineOptions = ['--max-concurrent-downloads', '64'] as const;

/** The variables that dockerd reads. Proxies are spelled both ways. */
const engineVariables = ['HOME', 'LANG', 'TMPDIR', 'DOCKER_TMPDIR', 'DOCKER_RAMDISK', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];
const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'];

/** PURE. The engine lives longer than everything here, and keys and passwords of the service are not its business. */
export function engineEnvironment(given: Environment): Record<string, string> {
  const names = [...engineVariables, ...proxyVariables.flatMap((name) => [name, name.toLowerCase()])];
  const kept = names.flatMap((name): [string, string][] => (given[name] ? [[name, given[name]]] : []));
  return { ...Object.fromEntries(kept), PATH: programPath(given.PATH) };
}

/**
 * Starts the process in a separate session, so that the end of this process or Ctrl-C does not stop all applications.
 * @returns a function that returns whether it has ended.
 */
export async function startDetached(
  host: Host,
  log: string,
  environment: Environment = process.env,
): Promise<() => boolean> {
  await mkdir(dirname(log), { recursive: true });
  const output = await open(log, 'a');
  const dockerd = (await findProgram('dockerd', environment.PATH)) ?? 'dockerd';
  // The socket belongs to the user who starts the engine. dockerd keeps its pid in /var/run/docker.pid.
  const group = host.privilege === 'root' ? [] : ['--group', String(process.getgid?.())];
  const [program, ...args] = asRoot(host, [dockerd, ...engineOptions, ...group]);
  const child = spawn(program, args, {
    cwd: '/',
    detached: true,
    stdio: ['ignore', output.fd, output.fd],
    env: engineEnvironment(environment),
  });
  let hasExited = false;
  child.once('error', () => {
    hasExited = true;
  });
  child.once('exit', () => {
    hasExited = true;
  });
  child.unref();
  await output.close();
  return () => hasExited;
}
