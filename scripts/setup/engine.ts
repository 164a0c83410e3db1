/** Provides a running Docker engine: an existing one, or Debian's, installed and started. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Docker from 'dockerode';
import { type Announce, SetUpError } from './announce.ts';
import { installPackages } from './apt.ts';
import { findProgram, lastLinesOf, run } from './commands.ts';
import { startDetached } from './engine-process.ts';
import { asRoot, type Host } from './host.ts';

/** A missing engine refuses at once. An engine on a busy machine may need time. */
const pingTimeoutMs = 30_000;
const startTimeoutMs = 60_000;
const manual = 'https://docs.docker.com/engine/install/';

export type EngineFacts = Host & {
  engine: 'answers' | 'refuses this user' | 'does not answer';
  /** DOCKER_HOST: an engine that someone chose is never replaced by another. */
  chosen: string | undefined;
  isInstalled: boolean;
};

export type EnginePlan =
  | { kind: 'use' }
  | { kind: 'start'; by: 'systemd' | 'process'; install: boolean }
  | { kind: 'ask'; message: string };

/** Makes sure that an engine responds. Throws `SetUpError` with a hint if the set-up cannot do that. */
export async function provideEngine(host: Host, announce: Announce): Promise<void> {
  const plan = planEngine(await inspectEngine(host));
  if (plan.kind === 'use') return;
  if (plan.kind === 'ask') throw new SetUpError(plan.message);
  if (plan.install) {
    const packages = await enginePackages();
    await announce(`Installing ${packages.join(', ')} from apt (about 20 s)`, () => installPackages(host, packages));
  }
  // If apt starts installed services, the engine may be running already. A second one would fail.
  if ((await ping()) === 'answers') return;
  await announce('Starting the Docker engine', () => start(plan.by, host));
}

/** Decides how to provide the engine, from facts alone. */
export function planEngine(facts: EngineFacts): EnginePlan {
  if (facts.engine === 'answers') return { kind: 'use' };
  if (facts.chosen) {
    return ask(`No Docker engine answers at DOCKER_HOST=${facts.chosen}.`, 'Start that engine, or unset DOCKER_HOST.');
  }
  if (facts.engine === 'refuses this user') {
    return ask(
      'A Docker engine runs here, but this user may not use it.',
      'Run `sudo usermod -aG docker "$USER"`, log out and in again, and repeat the command.',
    );
  }
  const by = facts.hasSystemd ? 'systemd' : 'process';
  if (facts.privilege === 'none') {
    return facts.isInstalled
      ? ask(
          'Docker is installed, but not running.',
          `Start it (\`sudo ${by === 'systemd' ? 'systemctl start docker' : 'dockerd'}\`) and repeat the command.`,
        )
      : ask(
          'Docker is not installed.',
          facts.isDebianLike
            ? 'Run `sudo apt-get install docker.io iptables` and repeat the command, or repeat it as root.'
            : installByHand(facts),
        );
  }
  if (!facts.isInstalled && !facts.isDebianLike) {
    return ask('Docker is not installed.', installByHand(facts));
  }
  return { kind: 'start', by, install: !facts.isInstalled };
}

function installByHand({ installs }: EngineFacts): string {
  return `Install one (${installs ? `\`${installs.engine}\`; ` : ''}${manual}), start it, and repeat the command.`;
}

function ask(problem: string, remedy: string): EnginePlan {
  return { kind: 'ask', message: `${problem} ${remedy}` };
}

async function inspectEngine(host: Host): Promise<EngineFacts> {
  return {
    ...host,
    engine: await ping(),
    chosen: process.env.DOCKER_HOST || undefined,
    isInstalled: (await findProgram('dockerd')) !== undefined,
  };
}

async function ping(): Promise<EngineFacts['engine']> {
  try {
    await Promise.race([new Docker().ping(), pause(pingTimeoutMs, undefined, { ref: false }).then(tooLate)]);
    return 'answers';
  } catch (error) {
    const isDenied = error instanceof Error && 'code' in error && error.code === 'EACCES';
    return isDenied ? 'refuses this user' : 'does not answer';
  }
}

function tooLate(): never {
  throw new Error('no answer in time');
}

async function enginePackages(): Promise<string[]> {
  // Without its parser Docker silently leaves AppArmor out on a kernel that has it.
  const appArmor = await readFile('/sys/module/apparmor/parameters/enabled', 'utf8').catch(() => 'N');
  return ['docker.io', 'iptables', ...(appArmor.startsWith('Y') ? ['apparmor'] : [])];
}

async function start(by: 'systemd' | 'process', host: Host): Promise<void> {
  if (by === 'systemd') {
    await run(asRoot(host, ['systemctl', 'enable', '--now', 'docker.service']));
    return untilItAnswers(() => 'see `journalctl -u docker`');
  }
  const log = host.privilege === 'root' ? '/var/log/berth-dockerd.log' : join(homedir(), '.cache/berth/dockerd.log');
  const hasExited = await startDetached(host, log);
  await untilItAnswers(() => (existsSync(log) ? `see ${log}` : ''), hasExited, log);
}

async function untilItAnswers(where: () => string, hasExited = () => false, log?: string): Promise<void> {
  const deadline = performance.now() + startTimeoutMs;
  let answer = await ping();
  while (answer !== 'answers') {
    if (answer === 'refuses this user') {
      throw new SetUpError(
        'The Docker engine runs now, but this user may not use it. ' +
          'Run `sudo usermod -aG docker "$USER"`, log out and in again, and repeat the command.',
      );
    }
    // The new engine exits at once if another one has the PID file. That one is about to respond, so ping again.
    const isLost = hasExited() && (await pause(2_000, true)) && (await ping()) !== 'answers';
    if (isLost || performance.now() > deadline) {
      const said = log ? lastLinesOf(await readFile(log, 'utf8').catch(() => ''), 5) : '';
      throw new SetUpError(`The Docker engine did not start: ${where()}${said ? `\n${said}` : ''}`);
    }
    await pause(50);
    answer = await ping();
  }
}
