/** What this machine is: the facts that decide how something can be installed and started on it. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { succeeds } from './commands.ts';

export type Host = {
  /** apt is here, and the packages have Debian's names. */
  isDebianLike: boolean;
  /** How this user becomes root without being asked for a password. */
  privilege: 'root' | 'sudo' | 'none';
  hasSystemd: boolean;
};

export async function lookAtHost(): Promise<Host> {
  return {
    isDebianLike: isDebianLike(await readFile('/etc/os-release', 'utf8').catch(() => '')),
    privilege: await privilege(),
    // systemd's own test for "this machine was booted with systemd" (sd_booted).
    hasSystemd: existsSync('/run/systemd/system'),
  };
}

/** Reads /etc/os-release: Debian, Ubuntu and what says it derives from them. */
export function isDebianLike(osRelease: string): boolean {
  const families = [...osRelease.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(
    ([, ids]) => ids?.split(' ') ?? [],
  );
  return families.includes('debian') || families.includes('ubuntu');
}

/** The argument list that runs the given one as root. */
export function asRoot(host: Host, argv: readonly [string, ...string[]]): [string, ...string[]] {
  return host.privilege === 'root' ? [...argv] : ['sudo', '--non-interactive', ...argv];
}

async function privilege(): Promise<Host['privilege']> {
  if (process.getuid?.() === 0) return 'root';
  return (await succeeds(['sudo', '--non-interactive', 'true'])) ? 'sudo' : 'none';
}
