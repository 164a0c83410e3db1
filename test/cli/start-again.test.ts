/** `berth start` after an update has failed: the previous revision starts, and the command reports that one. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { webYaml } from '../scenarios/applications.ts';
import { type Berth, createBerth } from '../scenarios/berth.ts';
import { installPacked, type Packed } from './packed.ts';

let packed: Packed;
let berth: Berth;
let folder: string;
before(async () => {
  packed = await installPacked();
  berth = await createBerth();
  await berth.serve();
  folder = await mkdtemp(join(tmpdir(), 'berth-start-'));
});
after(async () => {
  await berth?.destroy();
  await packed?.remove();
  await rm(folder, { recursive: true, force: true });
});

test('an application whose update failed is stopped and started, and the start ends well once the earlier one serves', async () => {
  const env = { BERTH_SERVER: berth.settings.baseUrl.origin };
  const cli = (...words: string[]) => packed.start(words, { cwd: folder, env }).ended;
  await writeFile(join(folder, 'app.yaml'), webYaml('shop', 'first'));
  await writeFile(
    join(folder, 'next.yaml'),
    webYaml('shop', 'second').replace('node:26-slim', 'localhost:1/nothing:1'),
  );
  const deployed = await cli('deploy', 'app.yaml');
  assert.equal(deployed.status, 0, deployed.stderr);
  const site = /http:\/\/\S+/.exec(deployed.stdout)![0];
  assert.equal((await cli('deploy', 'next.yaml')).status, 1);
  assert.equal((await cli('stop')).status, 0);

  const started = await cli('start');
  assert.equal(started.status, 0, started.stderr);
  assert.match(started.stdout, /^shop: serving/);
  assert.match((await berth.visit(site)).text, /^first /);

  const restarted = await cli('restart', 'web');
  assert.equal(restarted.status, 0, restarted.stderr);
  assert.match(restarted.stdout, /^shop: serving/);
});
