/** When the disk of the database is full, no data is lost, clients get an error, and the service recovers without a restart. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { berthAdmin } from '../accounts/terminal.ts';
import { buildImage } from '../contract/image.ts';
import { programFile } from '../program.ts';
import { saysPath, tinyYaml } from './applications.ts';
import { type Berth, createBerth, named, until } from './berth.ts';
import { onDocker } from './engine-of-tests.ts';
import { smallDisk } from './small-disk.ts';

const run = promisify(execFile);

const skip = process.getuid?.() === 0 ? onDocker('').skip : 'only root can mount a small disk';

const extend = (berth: Berth, app: Parameters<typeof named>[0]) => berth.postJson('/extendDeployment', named(app));

test('on a full disk a change is refused as storage_full, and is possible again once there is room', {
  skip,
}, async (t) => {
  const image = await buildImage(await connectDocker(), { name: 'contract' });
  const disk = await smallDisk();
  // Its volumes would count to the small disk.
  const settings = {
    BERTH_DATA_DIR: join(disk.folder, 'data'),
    BERTH_EXTENSIONS: '999x120m',
    BERTH_DISK_LIMITS: 'watch',
  };
  const berth = await createBerth(settings, { store: 'sqlite' });
  t.after(async () => {
    await disk.makeRoom();
    await berth.destroy();
    await disk[Symbol.asyncDispose]();
  });
  await berth.serve();
  const app = await berth.start(tinyYaml('shop', image, 'kept'));
  await berth.reach(app, 'running');
  assert.equal((await extend(berth, app)).status, 200);
  const before = await berth.row(app);

  await disk.fill();
  // The allocated space of the write-ahead log suffices for some more writes.
  const refused = await until('a change is refused', async () => {
    const answer = await extend(berth, app);
    return answer.status === 200 ? undefined : answer;
  });
  assert.deepEqual([refused.status, refused.body.code], [503, 'storage_full'], refused.text);
  assert.ok(Number(refused.headers['retry-after']) > 0);
  const ready = await until('/readyz says so', async () => {
    const answer = await berth.get('/readyz');
    return answer.status === 200 ? undefined : answer;
  });
  assert.deepEqual([ready.status, ready.body.code], [503, 'storage_full']);
  assert.equal((await berth.get('/healthz')).status, 200);
  assert.equal((await berth.status(app)).state, 'running', 'reads go on');
  assert.equal((await berth.visit(app.url + saysPath)).status, 200, 'so do applications');
  const examined = JSON.parse(
    (await berthAdmin(berth.environment as Record<string, string>, 'doctor', '--json')).stdout,
  );
  const database = examined.checks.find(({ name }: { name: string }) => name === 'database');
  assert.equal(database.state, 'bad', database.observed);
  assert.match(database.observed, /its disk has no space left/);
  assert.doesNotMatch(berth.log(), /cannot rollback/);

  await disk.makeRoom();
  await until('it is ready again', async () => (await berth.get('/readyz')).status === 200);
  assert.equal((await extend(berth, app)).status, 200);
  const after = await berth.row(app);
  assert.ok(after.extensionsUsed > before.extensionsUsed);

  await berth.end('SIGTERM');
  await disk.fill();
  const start = run(process.execPath, [programFile('src/main.ts')], { env: berth.environment });
  const { code, stderr } = await start.then(
    () => assert.fail('it has started'),
    (error: { code: number; stderr: string }) => error,
  );
  assert.equal(code, 1, stderr);
  assert.match(stderr, new RegExp(`^The disk of ${disk.folder}/data/berth.db is full`));
  await disk.makeRoom();
});
