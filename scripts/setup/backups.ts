/** restic, which keeps backups, from the distribution's package. Berth serves without it; commands that need it say so. */
import type { Announce } from './announce.ts';
import { installPackages } from './apt.ts';
import { findProgram } from './commands.ts';
import type { Host } from './host.ts';

export async function provideBackups(host: Host, announce: Announce): Promise<void> {
  if ((await findProgram('restic')) || !host.isDebianLike || host.privilege === 'none') return;
  await announce('Installing restic from apt (about 5 s)', () => installPackages(host, ['restic']));
}
