/**
 * Installs PostgreSQL's programs from the distribution. Tests run their own servers with them, in their own folders.
 * The set-up stops the server that the package creates, and does not change an existing one.
 */
import { existsSync, globSync } from 'node:fs';
import { type Announce, SetUpError } from './announce.ts';
import { installPackages } from './apt.ts';
import { run } from './commands.ts';
import { asRoot, type Host } from './host.ts';

/** Debian has the programs of each version in a separate folder, without links. */
const programs = '/usr/lib/postgresql/*/bin/initdb';
const clusters = '/etc/postgresql/*/main';

export async function providePostgres(host: Host, announce: Announce): Promise<void> {
  if (globSync(programs).length > 0) return;
  if (!host.isDebianLike || host.privilege === 'none') {
    const way = host.isDebianLike ? 'Run `sudo apt-get install postgresql`' : 'Install it';
    throw new SetUpError(`The tests need PostgreSQL. ${way} and repeat the command.`);
  }
  await announce('Installing postgresql from apt (about 15 s)', async () => {
    const before = globSync(clusters);
    await installPackages(host, ['postgresql']);
    for (const cluster of globSync(clusters).filter((path) => !before.includes(path))) await drop(host, cluster);
  });
}

async function drop(host: Host, cluster: string): Promise<void> {
  const [, version = '', name = ''] = /([^/]+)\/([^/]+)$/.exec(cluster) ?? [];
  if (existsSync('/usr/bin/pg_dropcluster')) await run(asRoot(host, ['pg_dropcluster', '--stop', version, name]));
}
