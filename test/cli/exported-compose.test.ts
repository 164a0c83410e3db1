/** The output of `berth export` runs without Berth: by Docker Compose, on the engine. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { provideCompose } from '../../scripts/setup/compose.ts';
import { freePort } from '../free-port.ts';
import { createBerth, until } from '../scenarios/berth.ts';
import { chatYaml, heardFrom } from '../scenarios/chat.ts';
import { installPacked } from './packed.ts';

const run = promisify(execFile);

test('an exported chat of two pods talks on, started by Docker Compose', async (t) => {
  const compose = await provideCompose(async (_, work) => await work());
  const packed = await installPacked();
  t.after(packed.remove);
  const berth = await createBerth({ BERTH_ENGINE: 'memory', BERTH_DISK_FREE: '1Mi' });
  t.after(() => berth.destroy());
  await berth.serve();
  const folder = await mkdtemp(join(tmpdir(), 'berth-exported-'));
  const env = { BERTH_SERVER: berth.settings.baseUrl.origin, HOME: folder };
  const cli = async (...words: string[]) => {
    const { status, stdout, stderr } = await packed.start(words, { cwd: folder, env }).ended;
    assert.equal(status, 0, stderr);
    return stdout;
  };
  await writeFile(join(folder, 'app.yaml'), chatYaml(3000));
  await cli('deploy', 'app.yaml', '--no-wait');
  await writeFile(join(folder, 'compose.yaml'), await cli('export'));

  // The file names port 8080 of the machine, which another service may have.
  const port = await freePort();
  const own = `services: { web: { ports: !override ["127.0.0.1:${port}:3000"] } }\n`;
  await writeFile(join(folder, 'compose.override.yaml'), own);
  const project = `berth-exported-${randomBytes(4).toString('hex')}`;
  const docker = (...words: string[]) => run(compose.binary, ['--project-name', project, ...words], { cwd: folder });
  t.after(async () => {
    await docker('down', '--volumes', '--timeout', '0');
    await rm(folder, { recursive: true });
  });
  await docker('up', '--detach');
  const url = `http://127.0.0.1:${port}`;
  await until('the page is there', async () => {
    const page = await fetch(url).catch(() => undefined);
    return (await page?.text()) === 'chat';
  });
  assert.equal(await heardFrom(url, 'from elsewhere'), 'from elsewhere');
});
