/** With a database that is older than the engine, unknown deployments are kept, and nothing is removed without a decision. */
import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { databaseFile } from '../../src/store/open.ts';
import { readSweepState } from '../../src/store/quarantine.ts';
import { berthAdmin } from '../accounts/terminal.ts';
import { buildImage } from '../contract/image.ts';
import { shellYaml } from './applications.ts';
import { type Berth, createBerth, until } from './berth.ts';
import { removeLog } from './database-file.ts';
import { onDocker } from './engine-of-tests.ts';

let image: string;
before(async () => {
  image = await buildImage(await connectDocker(), { name: 'contract' });
});

const yaml = (name: string) =>
  shellYaml(name, image, 'echo started >>/data/starts; exec busybox httpd -f -p 8080 -h /data', [
    '{ name: data, size: 16Mi, mountPath: /data }',
  ]);

/** A command of the operator, with the settings of the service. */
const admin = ({ environment }: Berth, ...words: string[]) =>
  berthAdmin(environment as Record<string, string>, ...words);

type Orphans = { hold: string | null; orphans: { deploymentId: string; things: { kind: string; name: string }[] }[] };

async function orphansOf(berth: Berth): Promise<Orphans> {
  const { status, stdout, stderr } = await admin(berth, 'orphans', '--json');
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

const phasesOf = async (berth: Berth, id: string) =>
  (await berth.inventory()).owned
    .filter(({ deploymentId }) => deploymentId === id)
    .map(({ kind, phase }) => (phase === undefined ? kind : `${kind} ${phase}`))
    .sort();

test(
  'with an older copy of the database, nothing of a newer deployment is removed',
  onDocker('a claim has no phase'),
  async (t) => {
    const berth = await createBerth({}, { store: 'sqlite' });
    t.after(() => berth.destroy());
    await berth.serve();
    const known = await berth.start(yaml('known'));
    await berth.reach(known, 'running');
    await berth.end('SIGTERM');
    const file = databaseFile(berth.settings);
    const copy = join(berth.settings.dataDir, 'older.db');
    await copyFile(file, copy);
    await berth.serve();
    // The engine labels what it makes with the epoch that the first sweep has begun.
    await until('the epoch has grown', async () => (await berth.query(readSweepState)).epoch > 1);
    const lost = await berth.start(yaml('lost'));
    await berth.reach(lost, 'running');
    const { id } = await berth.row(lost);
    await berth.end('SIGKILL');
    await removeLog(file);
    await copyFile(copy, file);

    await berth.serve();
    await berth.reach(known, 'running');
    const { hold, orphans } = await until('the sweep has looked', async () => {
      const found = await orphansOf(berth);
      return found.hold === null ? undefined : found;
    });
    assert.match(hold ?? '', /^the engine has objects of epoch \d+, and the database is at epoch \d+\./);
    assert.deepEqual(
      orphans.map(({ deploymentId }) => deploymentId),
      [id],
    );
    assert.deepEqual(await phasesOf(berth, id), ['network', 'volume', 'workload running'], 'nothing is changed');
    assert.match(berth.log(), /The sweep is on hold/);
    const metrics = await berth.get('/metrics');
    assert.match(metrics.text, /^berth_quarantined_deployments 1$/m);
    assert.match(metrics.text, /^berth_sweep_held 1$/m);
    assert.equal((await berth.visit(lost.url)).status, 404, 'it has no route');

    await berth.end('SIGTERM');
    assert.equal((await admin(berth, 'orphans', '--accept')).status, 0);
    await berth.serve();
    await until('its container is stopped', async () =>
      (await phasesOf(berth, id)).includes('workload exited') ? true : undefined,
    );
    assert.deepEqual(await phasesOf(berth, id), ['network', 'volume', 'workload exited']);
    const listed = await admin(berth, 'orphans');
    assert.match(listed.stdout, new RegExp(`${id} .* volume berth-${id}`));

    await berth.end('SIGTERM');
    assert.equal((await admin(berth, 'orphans', '--remove', id, '--yes')).status, 0);
    await berth.serve();
    await until('it is removed', async () => ((await phasesOf(berth, id)).length === 0 ? true : undefined));
    assert.deepEqual((await berth.inventory()).orphans, []);
    await berth.reach(known, 'running');
  },
);
