/** Releases follow one another under visitors: nothing restarts and no request fails, there and back. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { labelKeys } from '../../src/engine/labels.ts';
import { generationOf } from '../../src/store/migrations/generations.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { programFile } from '../program.ts';
import { webYaml } from './applications.ts';
import { createBerth, type Started, until } from './berth.ts';
import { type Crowd, crowdOf } from './crowd.ts';
import { laterRelease, newestRelease, type OtherRelease } from './other-release.ts';

const generation = generationOf(Object.keys(migrations));
const added = `
  await db.schema.createTable('later').addColumn('id', 'text', (c) => c.primaryKey()).execute();
  await db.schema.alterTable('deployments').addColumn('later', 'text').execute();
  await db.schema.alterTable('leases').addColumn('later', 'integer', (c) => c.notNull().defaultTo(7)).execute();`;
const other = `await db.schema.alterTable('deployments').addColumn('other', 'text').execute();`;

for (const store of ['sqlite', 'postgresql'] as const) {
  test(`the next release takes over and adds to the schema, and this one comes back, on ${store}`, async (t) => {
    const open = openedBy(t);
    const later = open.use(await laterRelease({ '9998-later': added }));
    const scene = await sceneOn(open, store);
    await scene.replaceBy(later);
    const blog = await scene.start(webYaml('blog', 'of the next'));
    await scene.isServed();
    await scene.replaceBy(undefined);
    await scene.isServed();
    await scene.end();

    // It works on what the newer one has added, and on what that one has started.
    const { berth, shop } = scene;
    assert.deepEqual(await berth.query((db) => sql`select * from "later"`.execute(db).then(({ rows }) => rows)), []);
    for (const app of [shop, blog]) {
      await berth.update(app, webYaml(app.applicationName, 'updated'));
      await until('the update is there', async () => (await berth.visit(app.url)).text.startsWith('updated'));
    }
    await berth.end('SIGTERM');
    assert.deepEqual((await berth.inventory()).orphans, []);
  });

  test(`a release of the next generation lets this one serve until the operator agrees, on ${store}`, async (t) => {
    const open = openedBy(t);
    const next = open.use(await laterRelease({ [`9999-generation-${generation + 1}-other`]: other }));
    const scene = await sceneOn(open, store);
    await scene.isRefused(
      next,
      new RegExp(
        `cannot be undone: what was told is told otherwise\\. .*\n.* with BERTH_CHANGE_SCHEMA=${generation + 1}\\.`,
      ),
    );
    await scene.replaceBy(next, { BERTH_CHANGE_SCHEMA: String(generation + 1) });
    await scene.isServed();
    await scene.isRefused(undefined, /written by a newer release of Berth .* restore a backup from before/);
    const down = promisify(execFile)(process.execPath, [programFile('scripts/down.ts'), '--yes'], {
      env: scene.berth.environment,
    });
    await assert.rejects(down, /written by a newer release of Berth/);
    await scene.end();
  });

  test(`this release takes over from the one that was recorded last, on ${store}`, async (t) => {
    const earlier = await lastRecorded(store);
    if (!earlier) return t.skip('this clone has no history');
    const open = openedBy(t);
    const scene = await sceneOn(open, store, open.use(earlier));
    await scene.replaceBy(undefined, { BERTH_CHANGE_SCHEMA: String(generation) });
    await scene.isServed();
    if (earlier.generation === generation) {
      await scene.replaceBy(earlier);
      await scene.isServed();
    } else {
      // One from before the handover socket moved is refused for that.
      await scene.isRefused(earlier, /written by a newer release of Berth|hands over to nobody/);
    }
    return await scene.end();
  });
}

/** Closed after the test, the last first. */
function openedBy(t: TestContext): AsyncDisposableStack {
  const open = new AsyncDisposableStack();
  t.after(() => open.disposeAsync());
  return open;
}

/** Two applications, one of them with a volume, and who asks for them and for the API all the time. `first`: who serves. */
async function sceneOn(open: AsyncDisposableStack, store: 'sqlite' | 'postgresql', first?: OtherRelease) {
  const berth = await createBerth({}, { store });
  let [release, present]: [OtherRelease | undefined, ChildProcess?] = [first];
  open.defer(() => berth.destroy(release?.down));
  present = await berth.serve({}, release?.service);
  const start = async (yaml: string): Promise<Started> => {
    const started = await berth.start(yaml);
    await berth.reach(started, 'running');
    return started;
  };
  const shop = await start(webYaml('shop', 'one', ['replicas: 2']));
  const keeper = await start(webYaml('keeper', 'kept', ['volumes: [{ name: data, size: 16Mi, mountPath: /data }]']));
  const before = await startsOf([shop, keeper]);
  assert.equal(before.length, 3);
  const { port } = berth.settings;
  const { applicationName, sessionToken } = shop;
  const crowd: Crowd = crowdOf([
    ...[shop, keeper].map(({ url }) => ({ port, host: new URL(url).host, path: '/' })),
    { port, host: 'localhost', path: `/getDeploymentStatus?${new URLSearchParams({ applicationName, sessionToken })}` },
    { port, host: 'localhost', path: '/healthz' },
  ]);
  open.defer(async () => void (await crowd.end()));
  const isServed = async () => {
    const counts = [...crowd.counts];
    await until('everybody is answered', async () => crowd.counts.every((count, index) => count > counts[index]! + 20));
  };
  await isServed();
  return {
    berth,
    shop,
    start,
    isServed,
    /** Started beside the one that serves; undefined: this release. */
    async replaceBy(by: OtherRelease | undefined, env: Record<string, string> = {}): Promise<void> {
      const ended = once(present!, 'exit');
      present = await berth.serve(env, by?.service);
      assert.deepEqual(await ended, [0, null], berth.log().slice(-3000));
      release = by;
    },
    async isRefused(by: OtherRelease | undefined, words: RegExp): Promise<void> {
      const refused = await berth.serve({}, by?.service);
      if (refused.exitCode === null) await once(refused, 'exit');
      assert.equal(refused.exitCode, 1);
      assert.match(berth.log(), words);
      assert.equal(present!.exitCode, null, 'who served goes on');
      await isServed();
    },
    /** No request has failed, and each container that was there at the beginning is, since the same instant. */
    async end(): Promise<void> {
      assert.deepEqual(await crowd.end(), []);
      assert.deepEqual(await startsOf([shop, keeper]), before);
    },
  };
}

/** Since when each container of the applications runs; those are told by an address that each has among its variables. */
async function startsOf(apps: readonly Started[]): Promise<string[]> {
  const docker = await connectDocker();
  const listed = await docker.listContainers({ filters: { label: [labelKeys.owner] } });
  // Those of other tests may go meanwhile.
  const found = await Promise.all(
    listed.map(({ Id }) =>
      docker
        .getContainer(Id)
        .inspect()
        .catch(() => undefined),
    ),
  );
  const wanted = apps.map(({ url }) => `OWN_URL=${url}`);
  const ours = found.filter((container) => container?.Config.Env.some((each) => wanted.includes(each)));
  return ours.map((container) => `${container!.Id} since ${container!.State.StartedAt}`).sort();
}

const records = 'test/upgrade';

/** The newest of those that were recorded with this database and that this clone has; undefined: none. */
async function lastRecorded(store: string): Promise<OtherRelease | undefined> {
  const files = (await readdir(records)).map((name) => join(records, name, store, 'engine.json'));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '{}')));
  const commits = texts.flatMap((text) => (JSON.parse(text) as { commit?: string }).commit ?? []);
  return await newestRelease(commits);
}
