/** A start with a missing or damaged database or key: the service does not serve, and says what to do. */
import assert from 'node:assert/strict';
import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { databaseFile } from '../../src/store/open.ts';
import { buildImage } from '../contract/image.ts';
import { keepingYaml } from './applications.ts';
import { createBerth } from './berth.ts';
import { damage, refusalOf, removeLog } from './database-file.ts';

let image: string;
before(async () => {
  image = await buildImage(await connectDocker(), { name: 'contract' });
});

test('without its database or key, or with a damaged file, a service refuses to start and loses nothing', async (t) => {
  const berth = await createBerth({}, { store: 'sqlite' });
  t.after(() => berth.destroy());
  await berth.serve();
  const app = await berth.start(keepingYaml('kept', image, 'here'));
  await berth.reach(app, 'running');
  await berth.end('SIGTERM');
  const { owned } = await berth.inventory();

  const { dataDir } = berth.settings;
  for (const [file, says] of [
    [
      databaseFile(berth.settings),
      /its database .*berth\.db is missing[\s\S]*1\. Put[\s\S]*2\. Restore[\s\S]*3\. Begin/,
    ],
    [join(dataDir, 'secret.key'), /The key file .*secret\.key is missing[\s\S]*BERTH_SECRET_KEY/],
  ] as const) {
    await rename(file, `${file}.aside`);
    assert.match(await refusalOf(berth), says);
    await rename(`${file}.aside`, file);
  }
  const file = databaseFile(berth.settings);
  await copyFile(file, `${file}.aside`);
  await damage(file);
  const said = await refusalOf(berth);
  assert.match(said, /The database .*berth\.db is damaged \(.*\)[\s\S]*berth admin restore[\s\S]*\.recover/);
  assert.doesNotMatch(said, /\n {4}at /, 'no stack trace');
  await removeLog(file);
  await rename(`${file}.aside`, file);

  assert.deepEqual((await berth.inventory()).owned, owned);
  await berth.serve();
  await berth.reach(app, 'running');
  assert.match((await berth.visit(`${app.url}/says`)).text, /here/);
});
