/** The operator suspends a deployment on a real engine: everything of it stays, its logs too, and comes back. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { berthAdmin } from '../accounts/terminal.ts';
import { buildImage } from '../contract/image.ts';
import { shellYaml } from './applications.ts';
import { createBerth, until } from './berth.ts';
import { workloadsOf } from './by-hand.ts';
import { onDocker } from './engine-of-tests.ts';

let image: string;
before(async () => {
  image = await buildImage(await connectDocker(), { name: 'contract' });
});

test(
  'a suspended deployment keeps its container with its logs, and its volume, and serves again afterwards',
  onDocker('a cluster keeps no pod that does not run'),
  async (t) => {
    const berth = await createBerth({}, { store: 'sqlite' });
    t.after(() => berth.destroy());
    await berth.serve();
    const script = 'echo evidence; echo begun >>/data/begun; exec busybox httpd -f -p 8080 -h /data';
    const app = await berth.start(shellYaml('odd', image, script, ['{ name: data, size: 16Mi, mountPath: /data }']));
    await berth.reach(app, 'running');
    const admin = (...words: string[]) => berthAdmin(berth.environment as Record<string, string>, ...words);
    const { id } = await berth.row(app);
    const before = (await berth.inventory()).owned.map(({ kind, id }) => `${kind} ${id}`).toSorted();

    assert.equal((await admin('suspend', id, 'phishing')).status, 0);
    await until('its containers are stopped', async () =>
      (await workloadsOf(berth, app)).every(({ phase }) => phase === 'exited') ? true : undefined,
    );
    const { status, text } = await berth.visit(app.url);
    assert.deepEqual([status, /suspended/.test(text), /phishing/.test(text)], [503, true, false]);
    assert.equal((await berth.status(app)).message, 'suspended by the operator: phishing');
    const logs = await berth.get('/getDeploymentLogs?applicationName=odd', {
      authorization: `Bearer ${app.sessionToken}`,
    });
    assert.match(logs.text, /evidence/);
    const after = (await berth.inventory()).owned.map(({ kind, id }) => `${kind} ${id}`).toSorted();
    assert.deepEqual(after, before);

    assert.equal((await admin('unsuspend', id)).status, 0);
    await berth.reach(app, 'running');
    const begun = await until('it answers', async () => {
      const { status, text } = await berth.visit(`${app.url}/begun`);
      return status === 200 ? text : undefined;
    });
    assert.equal(begun, 'begun\nbegun\n');
  },
);
