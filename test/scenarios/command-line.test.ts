/** `berth` against real containers. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { createBerth, until } from './berth.ts';

const program = join(import.meta.dirname, '../../src/cli/bin.mjs');
const yaml = `application:
  name: hello
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
      files: [{ path: /usr/share/nginx/html/index.html, content: "good day" }]
    - name: talker
      image: nginx:1
      command: sh -c 'while true; do echo a line; sleep 0.2; done'
`;

test('a file becomes a page, a crash is shown with its last lines, and the end is the end', async (t) => {
  const berth = await createBerth();
  const folder = await mkdtemp(join(tmpdir(), 'berth-cli-'));
  t.after(async () => {
    await berth.destroy();
    await rm(folder, { recursive: true });
  });
  await berth.serve();
  const start = (...words: string[]) => {
    const env = { PATH: process.env.PATH, BERTH_SERVER: berth.settings.baseUrl.origin };
    return spawn(process.execPath, [program, ...words], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  };
  const cli = async (...words: string[]) => {
    const child = start(...words);
    const [[status], stdout, stderr] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
    return { status, stdout, stderr };
  };
  await writeFile(join(folder, 'app.yaml'), yaml);
  const deployed = await cli('deploy', 'app.yaml', '--json');
  assert.equal(deployed.status, 0, deployed.stderr);
  const { url, status } = JSON.parse(deployed.stdout);
  assert.equal(status.state, 'running');
  assert.equal((await berth.visit(url)).text, 'good day');

  const following = start('logs', 'talker', '-f');
  let reported = '';
  following.stdout.setEncoding('utf8').on('data', (piece) => {
    reported += piece;
  });
  await until('three lines have come', async () => reported.split('\n').length > 3);
  assert.match(reported, /^\S+Z talker a line\n/);
  following.kill('SIGINT');
  assert.deepEqual((await once(following, 'exit'))[0], 130);

  await writeFile(join(folder, 'bad.yaml'), yaml.replace(/command: .*/, "command: sh -c 'echo no such table; exit 3'"));
  const failed = await cli('update', 'bad.yaml');
  assert.equal(failed.status, 1, failed.stdout);
  assert.match(failed.stdout, /pod talker: .*exited with code 3/);
  assert.match(failed.stdout, /\| .*no such table/);
  assert.match((await cli('remove', '--yes')).stdout, /^hello is removed\.$/m);
  await until('nothing is left', async () => (await berth.inventory()).owned.length === 0);
});
