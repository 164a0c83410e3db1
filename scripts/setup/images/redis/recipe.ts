/** Redis 7 from Debian's packages. */
import { join } from 'node:path';
import type { Recipe } from '../build.ts';
import { addUser, makeFolder, take, takePrograms } from '../root.ts';

const id = 999;
// redis-server is a link to redis-check-rdb: one program under several names.
const programs = ['redis-check-rdb', 'redis-check-aof', 'redis-server', 'redis-cli', 'redis-benchmark'];

export const redis: Recipe = {
  image: 'redis:7',
  from: 'Debian packages',
  seconds: 3,
  packages: ['redis-server', 'redis-tools', 'gosu'],
  promises: { package: 'redis-server', version: '7.' },
  config: {
    Entrypoint: ['docker-entrypoint.sh'],
    Cmd: ['redis-server'],
    ExposedPorts: { '6379/tcp': {} },
    Volumes: { '/data': {} },
    WorkingDir: '/data',
  },
  ownership: [{ path: '/data', user: id }],
  assets: [
    {
      file: join(import.meta.dirname, 'docker-entrypoint.sh'),
      path: '/usr/local/bin/docker-entrypoint.sh',
      mode: 0o755,
    },
  ],
  async fill(root) {
    await takePrograms(
      root,
      programs.map((name) => `/usr/bin/${name}`),
    );
    await take(root, '/usr/sbin/gosu');
    await addUser(root, 'redis', id, '/home/redis');
    await makeFolder(root, '/data');
  },
};
