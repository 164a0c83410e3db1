/** Facts about this machine that decide how to install and start programs on it. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { succeeds } from './commands.ts';

export type Host = {
  /** apt is here, and the packages have Debian's names. */
  isDebianLike: boolean;
  /** How this user becomes root without a password prompt. */
  privilege: 'root' | 'sudo' | 'none';
  hasSystemd: boolean;
  /** The commands to install programs on this system. Absent if unknown. */
  installs?: InstallWords;
};

/** Complete commands, by the program that they install. */
export type InstallWords = { engine: string; proxy: string };

export async function inspectHost(): Promise<Host> {
  const osRelease = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const installs = installWords(process.platform, osRelease);
  return {
    ...(installs && { installs }),
    isDebianLike: isDebianLike(osRelease),
    privilege: await privilege(),
    // systemd's own test for "this machine was booted with systemd" (sd_booted).
    hasSystemd: existsSync('/run/systemd/system'),
  };
}

/** Reads /etc/os-release: returns true for Debian, Ubuntu and their derivatives. */
export function isDebianLike(osRelease: string): boolean {
  const families = familiesOf(osRelease);
  return families.includes('debian') || families.includes('ubuntu');
}

/** PURE. Returns the commands with the distribution's package names. */
export function installWords(platform: NodeJS.Platform, osRelease: string): InstallWords | undefined {
  if (platform === 'darwin') return { engine: 'brew install --cask docker-desktop', proxy: 'brew install haproxy' };
  if (isDebianLike(osRelease))
    return { engine: 'sudo apt-get install docker.io iptables', proxy: 'sudo apt-get install haproxy' };
  const families = familiesOf(osRelease);
  if (families.includes('fedora')) return { engine: 'sudo dnf install moby-engine', proxy: 'sudo dnf install haproxy' };
  if (families.includes('arch')) return { engine: 'sudo pacman -S docker', proxy: 'sudo pacman -S haproxy' };
  return undefined;
}

function familiesOf(osRelease: string): string[] {
  return [...osRelease.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(([, ids]) => ids?.split(' ') ?? []);
}

/** Returns the argument list that runs the given one as root. */
export function asRoot(host: Host, argv: readonly [string, ...string[]]): [string, ...string[]] {
  return host.privilege === 'root' ? [...argv] : ['sudo', '--non-interactive', ...argv];
}

async function privilege(): Promise<Host['privilege']> {
  if (process.getuid?.() === 0) return 'root';
  return (await succeeds(['sudo', '--non-interactive', 'true'])) ? 'sudo' : 'none';
}
