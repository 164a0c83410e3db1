/** Installs HAProxy from the distribution. Berth runs its own process with its own configuration. */
import { existsSync } from 'node:fs';
import { type Announce, SetUpError } from './announce.ts';
import { installPackages } from './apt.ts';
import { findProgram, run, succeeds } from './commands.ts';
import { asRoot, type Host } from './host.ts';

// Map lookups with `set-dst` on a server 0.0.0.0:0 are tested from this version on.
const oldestVersion = [2, 6] as const;

export async function provideProxy(host: Host, announce: Announce): Promise<void> {
  if (!(await findProgram('haproxy'))) {
    if (!host.isDebianLike || host.privilege === 'none') {
      throw new SetUpError(
        `HAProxy (${oldestVersion.join('.')} or newer) is not installed. ` +
          `${host.installs ? `Run \`${host.installs.proxy}\`` : 'Install it'} and repeat the command.`,
      );
    }
    await announce('Installing haproxy from apt (about 5 s)', async () => {
      await installPackages(host, ['haproxy']);
      await stopPackagedService(host);
    });
  }
  await refuseOldVersion();
}

async function refuseOldVersion(): Promise<void> {
  const program = (await findProgram('haproxy')) ?? 'haproxy';
  const version = parseVersion(await run([program, '-v']));
  if (version && !isNewEnough(version)) {
    throw new SetUpError(`HAProxy is ${version.join('.')}; Berth needs ${oldestVersion.join('.')} or newer.`);
  }
}

/** Reads the first line of `haproxy -v`, e.g. `HAProxy version 2.6.12-1+deb12u2 2025/04/16 - https://haproxy.org/`. */
export function parseVersion(output: string): [number, number] | undefined {
  const [, major, minor] = output.match(/version (\d+)\.(\d+)/) ?? [];
  return major && minor ? [Number(major), Number(minor)] : undefined;
}

export function isNewEnough([major, minor]: readonly [number, number]): boolean {
  return major > oldestVersion[0] || (major === oldestVersion[0] && minor >= oldestVersion[1]);
}

/** Stops the package's service, which would run with a useless configuration. An existing service is not changed. */
async function stopPackagedService(host: Host): Promise<void> {
  if (host.hasSystemd) await succeeds(asRoot(host, ['systemctl', 'disable', '--now', 'haproxy.service']));
  else if (existsSync('/etc/init.d/haproxy')) await succeeds(asRoot(host, ['/etc/init.d/haproxy', 'stop']));
}
