/** PostgreSQL 15 from Debian's packages. */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../commands.ts';
import type { Recipe } from '../build.ts';
import { addUser, makeFolder, type Root, take, takePrograms, write } from '../root.ts';

const id = 999;
const programs = '/usr/lib/postgresql/15/bin';
const modules = '/usr/lib/postgresql/15/lib';
const shared = '/usr/share/postgresql/15';

export const postgres: Recipe = {
  image: 'postgres:15',
  from: 'Debian packages',
  seconds: 10,
  packages: ['postgresql-15', 'postgresql-client-15', 'gosu', 'locales', 'tzdata'],
  promises: { package: 'postgresql-15', version: '15.' },
  config: {
    Entrypoint: ['docker-entrypoint.sh'],
    Cmd: ['postgres'],
    Env: [
      `PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:${programs}`,
      'LANG=en_US.utf8',
      'PG_MAJOR=15',
      'PGDATA=/var/lib/postgresql/data',
    ],
    ExposedPorts: { '5432/tcp': {} },
    Volumes: { '/var/lib/postgresql/data': {} },
    // "Fast" shutdown: ends the sessions. SIGTERM would wait for the clients to disconnect.
    StopSignal: 'SIGINT',
  },
  ownership: [
    { path: '/var/lib/postgresql', user: id },
    { path: '/run/postgresql', user: id },
  ],
  assets: [
    {
      file: join(import.meta.dirname, 'docker-entrypoint.sh'),
      path: '/usr/local/bin/docker-entrypoint.sh',
      mode: 0o755,
    },
  ],
  async fill(root) {
    await takePrograms(root, await allOf(root, programs));
    await takeModules(root);
    // initdb calls it to list the collations.
    await takePrograms(root, ['/usr/bin/locale']);
    await take(root, '/usr/sbin/gosu');
    await take(root, shared);
    await listenToEveryone(root);
    await take(root, '/usr/share/zoneinfo');
    await compileLocale(root);
    await addUser(root, 'postgres', id, '/var/lib/postgresql');
    await makeFolder(root, '/var/lib/postgresql/data', 0o1777);
    await makeFolder(root, '/run/postgresql', 0o3777);
    await makeFolder(root, '/docker-entrypoint-initdb.d');
  },
};

/** Without the compiler of queries: PostgreSQL then leaves compiling out, and the image 100 MB of LLVM. */
async function takeModules(root: Root): Promise<void> {
  const wanted = (await allOf(root, modules)).filter((path) => !path.includes('/llvmjit'));
  // Conversions between character sets need no libraries. There are many of them, and the loader is slow.
  const conversions = wanted.filter((path) => path.includes('_and_'));
  for (const path of conversions) await take(root, path);
  await takePrograms(
    root,
    wanted.filter((path) => !conversions.includes(path)),
  );
}

async function allOf(root: Root, folder: string): Promise<string[]> {
  const entries = await readdir(join(root.packages, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => `${folder}/${name}`);
}

/** The sample is what initdb writes the cluster's configuration from. */
async function listenToEveryone(root: Root): Promise<void> {
  const sample = `${shared}/postgresql.conf.sample`;
  const text = await readFile(join(root.folder, sample), 'utf8');
  await write(root, sample, text.replace(/^#?listen_addresses = .*$/m, "listen_addresses = '*'"));
}

/** en_US.utf8 as in the official image, since it decides the order of text. C.UTF-8 is available on request. */
async function compileLocale(root: Root): Promise<void> {
  const folder = join(root.folder, 'usr/lib/locale');
  await mkdir(folder, { recursive: true });
  await run(['localedef', '--no-archive', '--inputfile=en_US', '--charmap=UTF-8', join(folder, 'en_US.utf8')], {
    env: { I18NPATH: join(root.packages, 'usr/share/i18n') },
  });
  await take(root, '/usr/lib/locale/C.utf8');
}
