/**
 * Installs Docker Compose for the benchmarks and the tests of exports: from Debian's package, without changing the
 * packages or the apt configuration of the host. Debian 12 only has Compose 1.29, and Debian 13 has 2.26. Its binary is
 * a plug-in of Docker's client, but also runs by itself.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Announce, SetUpError } from './announce.ts';
import { findProgram, run } from './commands.ts';

const cache = join(import.meta.dirname, '../../node_modules/.cache/berth-compose');
const binary = join(cache, 'docker-compose');
const inPackage = 'usr/libexec/docker/cli-plugins/docker-compose';
const oldestVersion = [2, 26] as const;

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const sources = `Types: deb
URIs: http://deb.debian.org/debian
Suites: trixie
Components: main
Signed-By: ${keyring}
`;

export type Compose = { binary: string; version: string };

/** Throws a `SetUpError` with the reason if it cannot be installed. */
export async function provideCompose(announce: Announce): Promise<Compose> {
  const cached = await versionOf(binary).catch(() => undefined);
  if (cached && isNewEnough(cached)) return { binary, version: cached };
  for (const program of ['apt-get', 'dpkg']) {
    if (!(await findProgram(program)))
      throw new SetUpError(`${program} is not here: Compose is taken from a Debian package.`);
  }
  if (!existsSync(keyring)) throw new SetUpError(`${keyring} is not here (package debian-archive-keyring).`);
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'package-'));
  try {
    await announce("Reading Debian 13's package list (10 MB)", () => updateLists(folder));
    await announce('Downloading its package docker-compose (13 MB)', () => downloadPackage(folder));
    await announce('Unpacking it', () => unpack(folder));
  } catch (error) {
    throw new SetUpError(`Docker Compose cannot be had from Debian: ${(error as Error).message}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const version = await versionOf(binary);
  if (!isNewEnough(version)) throw new SetUpError(`Debian's package has Compose ${version}; 2.26 or newer is needed.`);
  return { binary, version };
}

async function updateLists(folder: string): Promise<void> {
  await mkdir(join(folder, 'lists/partial'), { recursive: true });
  await mkdir(join(folder, 'cache/archives/partial'), { recursive: true });
  await writeFile(join(folder, 'debian.sources'), sources);
  await run(aptGet(folder, 'update'));
}

async function downloadPackage(folder: string): Promise<void> {
  await run(aptGet(folder, 'download', 'docker-compose'), { cwd: folder });
}

async function unpack(folder: string): Promise<void> {
  const archive = (await readdir(folder)).find((name) => name.endsWith('.deb'));
  if (!archive) throw new SetUpError('apt-get has downloaded no package.');
  await run(['dpkg', '-x', join(folder, archive), join(folder, 'root')]);
  await rename(join(folder, 'root', inPackage), binary);
}

/** The host's settings for proxies and mirrors' certificates stay in force; its sources, lists and caches do not. */
function aptGet(folder: string, ...command: string[]): [string, ...string[]] {
  const settings = {
    'Dir::Etc::sourcelist': join(folder, 'debian.sources'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::Cache': join(folder, 'cache'),
    // The user that apt would download as cannot write here.
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
    'Acquire::http::Timeout': '20',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['--option', `${name}=${value}`]);
  return ['apt-get', '--quiet', ...options, ...command];
}

async function versionOf(program: string): Promise<string> {
  return (await run([program, 'version', '--short'])).trim();
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > oldestVersion[0] || (major === oldestVersion[0] && minor >= oldestVersion[1]);
}
