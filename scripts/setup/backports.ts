/**
 * Adds Debian's backports as a package source, in a separate file. Removing the file reverts it. apt installs a
 * backport only if its name and version are given, and updates installed ones.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { updatePackageLists } from './apt.ts';
import { run } from './commands.ts';
import { asRoot, type Host } from './host.ts';

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const file = '/etc/apt/sources.list.d/berth-backports.sources';

/**
 * Adds the package source. Returns false if it is not available. Then the source is removed again, because apt would
 * complain about it at every update.
 */
export async function addBackports(host: Host, osRelease: string): Promise<boolean> {
  const codename = debianCodename(osRelease);
  if (!codename) return false;
  const mirror = mirrorIn(await indexTargets(), codename);
  if (!mirror) return false;
  await place(host, sourceOf(codename, mirror));
  try {
    await updatePackageLists(host, file);
    return true;
  } catch {
    await removeBackports(host);
    return false;
  }
}

export async function removeBackports(host: Host): Promise<void> {
  await run(asRoot(host, ['rm', '--force', file]));
}

/** PURE. Reads /etc/os-release. Derivatives of Debian name their versions differently. */
export function debianCodename(osRelease: string): string | undefined {
  if (!/^ID="?debian"?$/m.test(osRelease)) return undefined;
  return /^VERSION_CODENAME="?([a-z]+)"?$/m.exec(osRelease)?.[1];
}

const targetFormat = '$(CODENAME) $(COMPONENT) $(REPO_URI)';

/** PURE. Where this machine has the release itself from, its backports are too. */
export function mirrorIn(targets: string, codename: string): string | undefined {
  const rows = targets.split('\n').map((line) => line.trim().split(' '));
  return rows.find(([name, component]) => name === codename && component === 'main')?.[2];
}

/** PURE. */
export function sourceOf(codename: string, mirror: string): string {
  const lines = [
    '# Made by the set-up of Berth, for runsc (gVisor). May be removed: what is installed stays.',
    'Types: deb',
    `URIs: ${mirror}`,
    `Suites: ${codename}-backports`,
    'Components: main',
    `Signed-By: ${keyring}`,
  ];
  return `${lines.join('\n')}\n`;
}

async function indexTargets(): Promise<string> {
  return run(['apt-get', 'indextargets', '--format', targetFormat, 'Created-By: Packages']);
}

async function place(host: Host, content: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-sources-'));
  try {
    const own = join(folder, 'source');
    await writeFile(own, content);
    await run(asRoot(host, ['install', '--mode=0644', own, file]));
  } finally {
    await rm(folder, { recursive: true });
  }
}
