/**
 * Installs restic, the backup program, from the distribution. Berth runs without it, and commands that need it report
 * an error.
 */
import type { Announce } from './announce.ts';
import { installPackages } from './apt.ts';
import { findProgram } from './commands.ts';
import type { Host } from './host.ts';

export async function provideBackups(host: Host, announce: Announce): Promise<void> {
  if ((await findProgram('restic')) || !host.isDebianLike || host.privilege === 'none') return;
  await announce('Installing restic from apt (about 5 s)', () => installPackages(host, ['restic']));
}
