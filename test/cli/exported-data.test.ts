/** The output of `berth export all` runs without Berth, with its data: by Docker Compose, on the engine. Needs root. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { parse } from 'yaml';
import { provideCompose } from '../../scripts/setup/compose.ts';
import { freePort } from '../free-port.ts';
import { createBerth, until } from '../scenarios/berth.ts';

const run = promisify(execFile);
const needsRoot = { skip: process.getuid?.() === 0 ? false : 'file systems can be made by root alone' };
type Entries = { entries: { name: string }[] };
const namesOf = ({ entries }: Entries) => entries.map(({ name }) => name).sort();

test(
  'a guestbook on PostgreSQL is exported while it runs, has its entries under Docker Compose, and on Berth again',
  needsRoot,
  async (t) => {
    const compose = await provideCompose(async (_, work) => await work());
    const folder = await mkdtemp(join(tmpdir(), 'berth-exported-'));
    const berth = await createBerth();
    const plugins = join(folder, 'docker/cli-plugins');
    await mkdir(plugins, { recursive: true });
    await symlink(compose.binary, join(plugins, 'docker-compose'));
    const project = `berth-exported-${randomBytes(4).toString('hex')}`;
    const env = { ...process.env, DOCKER_CONFIG: join(folder, 'docker'), COMPOSE_PROJECT_NAME: project };
    const shop = join(folder, 'guestbook');
    t.after(async () => {
      await run('docker', ['compose', 'down', '--volumes', '--timeout', '0'], { cwd: shop, env }).catch(() => {});
      await berth.destroy();
      await rm(folder, { recursive: true });
    });
    await berth.serve();
    const yaml = await readFile(join(import.meta.dirname, '../../examples/guestbook.yaml'), 'utf8');
    const book = await berth.start(yaml);
    await berth.reach(book, 'running');
    for (const name of ['Ada', 'Grace']) {
      const body = JSON.stringify({ name, message: 'was here' });
      await until(`${name} has signed`, async () => {
        const answer = await berth.visit(`${book.url}/api/entries`, { method: 'POST', body }).catch(() => undefined);
        return (answer && answer.status < 300) || undefined;
      });
    }

    const words = ['export', 'all', '--secrets', '--to', shop, '--app', 'guestbook', '--token', book.sessionToken];
    const cli = (cwd: string, ...words: string[]) =>
      run(process.execPath, [join(import.meta.dirname, '../../src/cli/bin.mjs'), ...words], {
        cwd,
        env: { PATH: process.env.PATH, HOME: folder, BERTH_SERVER: berth.settings.baseUrl.origin },
      });
    const exported = await cli(folder, ...words);
    assert.match(exported.stderr, /README\.md says how to start it/);

    // The file names port 8080 of the machine, which another service may have.
    const { services } = parse(await readFile(join(shop, 'compose.yaml'), 'utf8')) as {
      services: Record<string, { ports?: string[] }>;
    };
    let api = '';
    const own: string[] = [];
    for (const [name, { ports }] of Object.entries(services)) {
      if (!ports) continue;
      const port = await freePort();
      if (name === 'api') api = `http://127.0.0.1:${port}`;
      own.push(`  ${name}: { ports: !override ["127.0.0.1:${port}:${ports[0]!.split(':')[1]}"] }\n`);
    }
    await writeFile(join(shop, 'compose.override.yaml'), `services:\n${own.join('')}`);
    await run('sh', ['start.sh'], { cwd: shop, env });
    const found = await until('the entries are there', async () => {
      const answer = await fetch(`${api}/api/entries`).catch(() => undefined);
      return answer?.ok ? namesOf((await answer.json()) as Entries) : undefined;
    });
    assert.deepEqual(found, ['Ada', 'Grace']);

    // And in again, as another deployment next to the first.
    await rm(join(shop, 'compose.override.yaml'));
    const { stdout } = await cli(shop, 'up', '--yes');
    const url = /http:\/\/\S+/.exec(stdout)![0];
    assert.notEqual(url, book.url);
    const back = await until('they are there on Berth', async () => {
      const answer = await berth.visit(`${url}/api/entries`).catch(() => undefined);
      return answer?.status === 200 ? namesOf(answer.body as Entries) : undefined;
    });
    assert.deepEqual(back, ['Ada', 'Grace']);
  },
);

/** The image has a unique layer. */
async function pushOwnImage(docker: Docker, { token, at }: { token: string; at: string }): Promise<string> {
  const container = await docker.createContainer({ Image: 'nginx:1', Cmd: ['sh', '-c', `echo ${token} >/own`] });
  await container.start();
  await container.wait();
  const [repo, tag] = [`${at}/site`, '1'];
  await container.commit({ repo, tag, changes: ['CMD ["nginx", "-g", "daemon off;"]'] });
  await container.remove();
  const stream = await docker
    .getImage(`${repo}:${tag}`)
    .push({ authconfig: { username: 'me', password: token, serveraddress: '' } });
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(stream, (error, lines: { error?: string }[]) => {
      const fault = error ?? lines.find((line) => line.error)?.error;
      if (fault) reject(fault instanceof Error ? fault : new Error(fault));
      else resolve();
    });
  });
  return `${repo}:${tag}`;
}

test('an image that was pushed is in the export as Docker loads it, layers and all', needsRoot, async (t) => {
  const docker = new Docker();
  const folder = await mkdtemp(join(tmpdir(), 'berth-exported-'));
  const berth = await createBerth();
  const made: string[] = [];
  t.after(async () => {
    await berth.destroy();
    for (const name of made)
      await docker
        .getImage(name)
        .remove({ force: true })
        .catch(() => {});
    await rm(folder, { recursive: true });
  });
  await berth.serve();
  const pod = (image: string) => `    - { name: web, image: "${image}", path: /, servicePorts: [80] }\n`;
  const yaml = (name: string, image: string) => `application:\n  name: ${name}\n  pods:\n${pod(image)}`;
  const { sessionToken: token } = await berth.start(yaml('first', 'nginx:1'));
  const refused = await berth.get('/v2/any/name/tags/list', { authorization: `Bearer ${token}` });
  const [, at] = /named (localhost:\d+\/\w+)\//.exec(refused.body.errors[0].message)!;
  const image = await pushOwnImage(docker, { token, at: at! });
  made.push(image);
  const started = await berth.postYaml(`/startUserDeployment?sessionToken=${token}`, yaml('site', './site:1'));
  assert.equal(started.status, 200, started.text);
  await berth.reach(started.body, 'running');
  const words = ['export', 'all', '--to', join(folder, 'site'), '--app', 'site', '--token', token];
  await run(process.execPath, [join(import.meta.dirname, '../../src/cli/bin.mjs'), ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, BERTH_SERVER: berth.settings.baseUrl.origin },
  });
  await berth.destroy();
  const { Id: id } = await docker.getImage(image).inspect();
  for (const name of (await docker.getImage(id).inspect()).RepoTags ?? [])
    await docker.getImage(name).remove({ force: true });
  await assert.rejects(docker.getImage(id).inspect(), /no such image/i);

  const { services } = parse(await readFile(join(folder, 'site/compose.yaml'), 'utf8'));
  made.push(services.web.image);
  await run('sh', ['-c', 'tar --create --file=- --directory=images . | docker load'], { cwd: join(folder, 'site') });
  const { stdout } = await run('docker', ['run', '--rm', services.web.image, 'cat', '/own']);
  assert.equal(stdout.trim(), token);
});
