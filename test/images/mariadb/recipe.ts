/** MariaDB 10.11 from Debian's packages, for tests alone: no example needs it. */
import { join } from 'node:path';
import type Docker from 'dockerode';
import type { Recipe } from '../../../scripts/setup/images/build.ts';
import { addUser, link, makeFolder, take, takePrograms } from '../../../scripts/setup/images/root.ts';
import { provideRecipe } from '../provide-recipe.ts';

const id = 999;
const programs = [
  '/usr/sbin/mariadbd',
  '/usr/bin/mariadb',
  '/usr/bin/mariadb-admin',
  '/usr/bin/mariadb-dump',
  '/usr/bin/my_print_defaults',
  '/usr/bin/resolveip',
];

const mariadb: Recipe = {
  image: 'mariadb:10.11',
  from: 'Debian packages',
  seconds: 10,
  packages: ['mariadb-server-core', 'mariadb-client-core', 'mariadb-client', 'gosu'],
  promises: { package: 'mariadb-server-core', version: '10.11.' },
  config: {
    Entrypoint: ['docker-entrypoint.sh'],
    Cmd: ['mariadbd'],
    ExposedPorts: { '3306/tcp': {} },
    Volumes: { '/var/lib/mysql': {} },
  },
  ownership: [
    { path: '/var/lib/mysql', user: id },
    { path: '/run/mysqld', user: id },
  ],
  assets: [
    {
      file: join(import.meta.dirname, 'docker-entrypoint.sh'),
      path: '/usr/local/bin/docker-entrypoint.sh',
      mode: 0o755,
    },
  ],
  async fill(root) {
    await takePrograms(root, programs);
    await take(root, '/usr/bin/mariadb-install-db');
    await take(root, '/usr/sbin/gosu');
    await take(root, '/usr/share/mysql');
    await link(root, '/usr/bin/mysqldump', 'mariadb-dump');
    await addUser(root, 'mysql', id, '/var/lib/mysql');
    await makeFolder(root, '/run/mysqld', 0o1777);
  },
};

/** The reference of the image, which is built when it is not there. */
export function provideMariadb(docker: Docker): Promise<string> {
  return provideRecipe(docker, mariadb);
}
