/** The next release takes over under visitors: nothing restarts and no request fails. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { labelKeys } from '../../src/engine/labels.ts';
import { programFile } from '../program.ts';
import { inTier } from '../tier.ts';
import { webYaml } from './applications.ts';
import { type Berth, createBerth, type Started, until } from './berth.ts';
import { type Crowd, crowdOf } from './crowd.ts';
import { laterRelease } from './other-release.ts';

const added = `
  await db.schema.createTable('later').addColumn('id', 'text', (c) => c.primaryKey()).execute();
  await db.schema.alterTable('deployments').addColumn('later', 'text').execute();
  await db.schema.alterTable('leases').addColumn('later', 'integer', (c) => c.notNull().defaultTo(7)).execute();`;

for (const store of inTier<'sqlite' | 'postgresql'>(['sqlite'], ['postgresql'])) {
  test(`the next release takes over and adds to the schema, and this one is refused from then on, on ${store}`, async (t) => {
    const open = new AsyncDisposableStack();
    t.after(() => open.disposeAsync());
    const later = open.use(await laterRelease({ '9998-later': added }));
    const berth = await createBerth({}, { store });
    let down: string | undefined;
    open.defer(() => berth.destroy(down));
    const first = await berth.serve();
    const start = async (yaml: string): Promise<Started> => {
      const started = await berth.start(yaml);
      await berth.reach(started, 'running');
      return started;
    };
    const shop = await start(webYaml('shop', 'one', ['replicas: 2']));
    const keeper = await start(webYaml('keeper', 'kept', ['volumes: [{ name: data, size: 16Mi, mountPath: /data }]']));
    const containers = await startsOf([shop, keeper]);
    assert.equal(containers.length, 3);
    const crowd = crowdAt(berth, [shop, keeper]);
    open.defer(async () => void (await crowd.end()));
    const isServed = async () => {
      const counts = [...crowd.counts];
      await until('all clients are answered', async () =>
        crowd.counts.every((count, index) => count > counts[index]! + 20),
      );
    };
    await isServed();

    const ended = once(first, 'exit');
    const second = await berth.serve({}, later.service);
    assert.deepEqual(await ended, [0, null], berth.log().slice(-3000));
    ({ down } = later);
    await isServed();

    const refused = await berth.serve();
    if (refused.exitCode === null) await once(refused, 'exit');
    assert.equal(refused.exitCode, 1);
    assert.match(berth.log(), /A newer release of Berth wrote this database .* restore a backup from before/);
    const env = berth.environment;
    const downNow = promisify(execFile)(process.execPath, [programFile('scripts/down.ts'), '--yes'], { env });
    await assert.rejects(downNow, /A newer release of Berth wrote this database/);
    assert.equal(second.exitCode, null, 'the later release still serves');
    await isServed();
    assert.deepEqual(await crowd.end(), [], 'no request has failed');
    assert.deepEqual(await startsOf([shop, keeper]), containers, 'no container was restarted');
  });
}

/** Visitors who request the applications and the API without a pause. */
function crowdAt(berth: Berth, apps: readonly Started[]): Crowd {
  const { port } = berth.settings;
  const { applicationName, sessionToken } = apps[0]!;
  return crowdOf([
    ...apps.map(({ url }) => ({ port, host: new URL(url).host, path: '/' })),
    { port, host: 'localhost', path: `/getDeploymentStatus?${new URLSearchParams({ applicationName, sessionToken })}` },
    { port, host: 'localhost', path: '/healthz' },
  ]);
}

/** The start time of each container of the applications, which are recognized by an address among their variables. */
async function startsOf(apps: readonly Started[]): Promise<string[]> {
  const docker = await connectDocker();
  const listed = await docker.listContainers({ filters: { label: [labelKeys.owner] } });
  // Containers of other tests may be removed in the meantime.
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
