/** What `berth export all` writes runs without Berth, with its data: by Docker Compose, on the engine. Needs root. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
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

    // And in again, as another deployment beside the first.
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
