/** From a folder to images of the service, with the Docker of this machine: what is built, what moves, what is refused. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { buildOf } from '../../src/folder/plain-build.ts';
import type { Build, ImageToMake } from '../../src/folder/project.ts';
import { findDocker } from '../../src/push/docker/docker-command.ts';
import { PushFault } from '../../src/push/push-fault.ts';
import { pushImage } from '../../src/push/push-image.ts';
import { createRegistryClient } from '../../src/push/registry/push-client.ts';
import { type Berth, createBerth } from '../scenarios/berth.ts';

let berth: Berth;
let folder: string;
before(async () => {
  berth = await createBerth();
  await berth.serve();
  folder = await mkdtemp(join(tmpdir(), 'berth-up-'));
});
after(async () => {
  await berth.destroy();
  await rm(folder, { recursive: true, force: true });
});

/** A session that pushes, and remembers what it has pushed. */
async function pusher() {
  const signal = new AbortController().signal;
  const server = berth.settings.baseUrl.origin;
  const session = await createClient({ baseUrl: server }).call('createSession');
  assert.ok(session.ok);
  const { sessionToken: token, images } = session.value;
  const docker = await findDocker({ env: process.env, signal });
  const limits = await createClient({ baseUrl: server, token }).call('getLimits');
  assert.ok(limits.ok);
  const { namespace, platform } = limits.value.images;
  assert.equal(namespace, images.split('/')[1]);
  const memory = { layers: new Map(), images: new Map(), builds: new Map<string, string>() };
  const registry = createRegistryClient({ server, token, signal });
  return {
    token,
    docker,
    builds: memory.builds,
    push: (image: ImageToMake) =>
      pushImage({ docker, registry, cache: memory, platform, report() {}, namespace: namespace! }, image),
    /** Clears the folder's memory. */
    forget() {
      memory.layers.clear();
      memory.images.clear();
    },
  };
}

const at = { file: 'compose.yaml', line: 1, column: 1 };

function imageOf(context: string, more: Partial<Build> = {}): ImageToMake {
  const build = buildOf(context, more);
  return { name: './web', services: ['web'], base: { kind: 'build', build }, layers: [], at };
}

const yaml = (name: string) => `application:
  name: ${name}
  pods:
    - name: web
      image: ./web
      path: /
      servicePorts: [80]
`;

async function live(token: string, name: string) {
  const answer = await berth.postYaml(`/startUserDeployment?sessionToken=${token}`, yaml(name));
  assert.equal(answer.status, 200, answer.text);
  await berth.reach(answer.body, 'running');
  return answer.body;
}

test('a Dockerfile becomes a page, and the next push sends only the layer that has changed', async () => {
  const context = join(folder, 'site');
  await mkdir(join(context, 'assets'), { recursive: true });
  await writeFile(
    join(context, 'Dockerfile'),
    'FROM nginx:1\nCOPY assets /usr/share/nginx/html/assets\nCOPY index.html /usr/share/nginx/html/\n',
  );
  await writeFile(join(context, 'assets/large.bin'), randomBytes(5 * 2 ** 20));
  await writeFile(join(context, 'index.html'), 'first');
  await writeFile(join(context, 'secret.txt'), 'not for images');
  const { token, push, forget } = await pusher();
  const first = await push(imageOf(context));
  assert.ok(first.sentBytes > 5 * 2 ** 20, `${first.sentBytes} bytes were sent`);
  const started = await live(token, 'site');
  assert.equal((await berth.visit(started.url)).text, 'first');
  assert.equal((await berth.visit(`${started.url}/assets/large.bin`)).text.length > 0, true);

  const again = await push(imageOf(context));
  assert.deepEqual([again.sentBytes, again.digest], [0, first.digest]);

  await writeFile(join(context, 'index.html'), 'second');
  const changed = await push(imageOf(context));
  assert.equal(changed.sentLayers, 1);
  assert.ok(changed.sentBytes < 20_000, `${changed.sentBytes} bytes were sent`);
  forget();
  const forgotten = await push(imageOf(context));
  assert.deepEqual([forgotten.sentBytes, forgotten.digest], [0, changed.digest]);
  await berth.update(started, yaml('site'));
  await berth.reach(started, 'running');
  assert.equal((await berth.visit(started.url)).text, 'second');
  await berth.remove(started);
});

test('a folder replaces one of the image, as a mount would, and a file is added to the others', async () => {
  const html = join(folder, 'html');
  await mkdir(join(html, 'deep/er'), { recursive: true });
  await writeFile(join(html, 'index.html'), 'mounted');
  await writeFile(join(html, 'deep/er/page.html'), 'deep');
  await symlink('deep/er/page.html', join(html, 'linked.html'));
  const configuration = join(folder, 'extra.conf');
  await writeFile(configuration, 'add_header x-extra yes;\n');
  const { token, push } = await pusher();
  const image: ImageToMake = {
    name: './web',
    services: ['web'],
    base: { kind: 'image', image: 'nginx:1' },
    at,
    layers: [
      { from: html, kind: 'folder', to: '/usr/share/nginx/html', except: [], at },
      { from: configuration, kind: 'file', to: '/etc/nginx/conf.d/extra.conf', except: [], at },
    ],
  };
  const first = await push(image);
  assert.equal(first.layers - first.sentLayers, 0);
  const started = await live(token, 'mounted');
  assert.equal((await berth.visit(started.url)).text, 'mounted');
  assert.equal((await berth.visit(`${started.url}/linked.html`)).text, 'deep');
  assert.equal((await berth.visit(`${started.url}/50x.html`)).status, 404, 'what the image had there is hidden');
  assert.equal((await push(image)).sentBytes, 0);

  await writeFile(join(html, 'index.html'), 'changed');
  const changed = await push(image);
  assert.equal(changed.sentLayers, 1);
  assert.ok(changed.sentBytes < 20_000, `${changed.sentBytes} bytes were sent`);
  await berth.remove(started);
});

test('what the .dockerignore names, and what the folder remembers, gets into no build', async () => {
  const context = join(folder, 'ignoring');
  await mkdir(join(context, '.berth'), { recursive: true });
  await mkdir(join(context, 'node_modules/x'), { recursive: true });
  await writeFile(join(context, '.berth/config.json'), '{"sessionToken":"secret"}');
  await writeFile(join(context, 'node_modules/x/index.js'), '');
  await writeFile(join(context, '.dockerignore'), 'node_modules\n*.md\n!README.md\n');
  for (const name of ['README.md', 'other.md', 'index.html']) await writeFile(join(context, name), name);
  const inline = 'FROM nginx:1\nCOPY . /all/\nRUN find /all -type f | sort > /usr/share/nginx/html/index.html\n';
  const { token, push } = await pusher();
  await push(imageOf(context, { inline }));
  const started = await live(token, 'ignoring');
  const { text } = await berth.visit(started.url);
  assert.equal(text, '/all/.dockerignore\n/all/README.md\n/all/index.html\n');
  await berth.remove(started);
});

test('of several builds of one image the last one stays on this Docker, and so do tagged ones', async (t) => {
  const context = join(folder, 'rebuilt');
  await mkdir(context);
  const { push, docker, builds } = await pusher();
  const isHere = async (id: string) => (await docker.run(['image', 'inspect', '--', id])).status === 0;
  const build = async (content: string) => {
    await writeFile(join(context, 'index.html'), `${content} ${randomBytes(8).toString('hex')}`);
    await push(imageOf(context, { inline: 'FROM nginx:1\nCOPY index.html /usr/share/nginx/html/\n' }));
    return builds.get('./web')!;
  };
  const first = await build('first');
  const second = await build('second');
  assert.deepEqual([await isHere(first), await isHere(second)], [false, true]);
  const tag = `berth-test-kept-${randomBytes(6).toString('hex')}`;
  await docker.runQuietly(['tag', second, tag]);
  t.after(() => docker.run(['image', 'rm', '--', tag]));
  const third = await build('third');
  t.after(() => docker.run(['image', 'rm', '--', third]));
  assert.deepEqual([await isHere(second), await isHere(third)], [true, true]);
});

test('a failed build is shown with its last lines; a link that leaves its folder is refused', async () => {
  const { push } = await pusher();
  const context = join(folder, 'failing');
  await mkdir(context);
  const inline = 'FROM nginx:1\nARG WHO\nRUN echo "it is $WHO" && exit 7\n';
  const failed = await push(imageOf(context, { inline, args: { WHO: 'me' } })).catch((error) => error);
  assert.ok(failed instanceof PushFault);
  assert.match(failed.output.join('\n'), /it is me[\s\S]*7/);

  const leaving = join(folder, 'leaving');
  await mkdir(leaving);
  await symlink('/etc/passwd', join(leaving, 'users'));
  const image: ImageToMake = {
    name: './web',
    services: ['web'],
    base: { kind: 'image', image: 'nginx:1' },
    at,
    layers: [{ from: leaving, kind: 'folder', to: '/srv', except: [], at }],
  };
  await assert.rejects(push(image), /users is a link that leaves the folder, to \/etc\/passwd/);
});
