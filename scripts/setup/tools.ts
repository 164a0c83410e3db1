/**
 * Programs that only tests need: to create a machine within the machine, with a network and a disk, and a Debian for
 * test images; the names of its system calls; a registry client; a certificate authority; a backup program; a tool that
 * makes a browser trust a test certificate; and a reader of systemd units.
 */
import { type Announce, SetUpError } from './announce.ts';
import { installPackages } from './apt.ts';
import { findProgram } from './commands.ts';
import type { Host } from './host.ts';

/** The Debian package that contains each program. A minimal system has none of them. */
const packageOf = {
  certutil: 'libnss3-tools',
  debootstrap: 'debootstrap',
  git: 'git',
  ip: 'iproute2',
  'mkfs.ext4': 'e2fsprogs',
  pebble: 'pebble',
  restic: 'restic',
  scmp_sys_resolver: 'seccomp',
  skopeo: 'skopeo',
  'systemd-analyze': 'systemd',
  tini: 'tini',
};

export async function provideTestTools(host: Host, announce: Announce): Promise<void> {
  const packages: string[] = [];
  for (const [program, name] of Object.entries(packageOf)) if (!(await findProgram(program))) packages.push(name);
  if (packages.length === 0) return;
  if (!host.isDebianLike || host.privilege === 'none') {
    const way = host.isDebianLike ? `Run \`sudo apt-get install ${packages.join(' ')}\`` : 'Install them';
    throw new SetUpError(`The tests need ${packages.join(', ')}. ${way} and repeat the command.`);
  }
  await announce(`Installing ${packages.join(', ')} from apt (about 5 s)`, () => installPackages(host, packages));
}
