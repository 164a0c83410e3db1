/** nginx from Debian's packages, with the configuration that the official image is known for. */
import { join } from 'node:path';
import type { Recipe } from '../build.ts';
import { addUser, link, makeFolder, take, takePrograms } from '../root.ts';

const id = 101;
const parameterFiles = ['mime.types', 'fastcgi_params', 'scgi_params', 'uwsgi_params'];

export const nginx: Recipe = {
  image: 'nginx:1',
  from: 'Debian packages',
  seconds: 3,
  packages: ['nginx', 'nginx-common'],
  promises: { package: 'nginx', version: '1.' },
  config: {
    Entrypoint: ['/docker-entrypoint.sh'],
    Cmd: ['nginx', '-g', 'daemon off;'],
    ExposedPorts: { '80/tcp': {} },
    // Finishes the answers that are under way.
    StopSignal: 'SIGQUIT',
  },
  ownership: [{ path: '/var/cache/nginx', user: id }],
  assets: [
    { file: join(import.meta.dirname, 'nginx.conf'), path: '/etc/nginx/nginx.conf' },
    { file: join(import.meta.dirname, 'default.conf'), path: '/etc/nginx/conf.d/default.conf' },
    { file: join(import.meta.dirname, 'docker-entrypoint.sh'), path: '/docker-entrypoint.sh', mode: 0o755 },
  ],
  async fill(root) {
    await takePrograms(root, ['/usr/sbin/nginx']);
    for (const name of parameterFiles) await take(root, `/etc/nginx/${name}`);
    await take(root, '/usr/share/nginx/html');
    await take(root, '/usr/share/nginx/html/50x.html', '/usr/share/nginx/html/index.html');
    await addUser(root, 'nginx', id, '/var/cache/nginx');
    // Debian's build writes to the second folder if a custom configuration names no place.
    for (const folder of ['/var/log/nginx', '/var/lib/nginx', '/docker-entrypoint.d']) await makeFolder(root, folder);
    await link(root, '/var/log/nginx/access.log', '/dev/stdout');
    await link(root, '/var/log/nginx/error.log', '/dev/stderr');
  },
};
