/** A Berth on the cluster that takes snapshots into a folder, and what tests ask of it. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { connectCluster } from '../../src/engine/kubernetes/cluster.ts';
import { namespaceName } from '../../src/engine/kubernetes/names.ts';
import { newId } from '../../src/lib/ids.ts';
import { buildImage } from '../contract/image.ts';
import { provideDebian } from '../images/debian.ts';
import { createBerth, named, type Started, until } from '../scenarios/berth.ts';
import { claim } from '../scenarios/claimed.ts';
import { copiesIn } from './copies-in.ts';
import { edgeNetworks, importImages } from './node.ts';
import { openSnapshotStandIn } from './snapshot-stand-in.ts';

export type SnapshotService = Awaited<ReturnType<typeof serveSnapshots>>;

/** `provide`: builds the images that applications need in addition to the contract's, and returns their names. */
export async function serveSnapshots(provide: (docker: Docker) => Promise<string[]> = async () => []) {
  const [docker, cluster] = [await connectDocker(), await connectCluster()];
  const image = await buildImage(docker, { name: 'contract' });
  const images = [await provideDebian(docker), ...(await provide(docker))];
  await importImages(docker, [image, ...images]);
  await using opening = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'berth-copied-'));
  opening.defer(() => rm(folder, { recursive: true, force: true }));
  const address = edgeNetworks[0]!.split('/')[0]!;
  const standIn = opening.use(await openSnapshotStandIn(cluster, `snapshots-${newId(randomBytes)}`, address));
  const own = {
    BERTH_STORAGE_CLASS: standIn.storageClass,
    BERTH_SNAPSHOTS: folder,
    BERTH_PROBE_IMAGE: images[0]!,
    BERTH_LOCAL_IMAGES: `berth-test-*,${images.join()}`,
    BERTH_TIERS: 'free deployments=9 memory=9Gi snapshot-every=never',
    BERTH_STRANGERS: 'session=1000 address=1000 memory=1Ti exec=yes',
    BERTH_DISK_FREE: '1Mi',
  };
  const berth = await createBerth(own, { engine: 'kubernetes' });
  opening.defer(() => berth.destroy());
  await berth.serve();

  async function reported(of: Started) {
    const { status, body, text } = await berth.get(`/getSnapshots?${new URLSearchParams(named(of))}`);
    assert.equal(status, 200, `${text}\n${berth.log()}`);
    return body;
  }

  async function copiersOf(of: Started): Promise<string[]> {
    return await copiesIn(cluster, namespaceName((await berth.row(of)).id));
  }

  const opened = opening.move();
  return {
    berth,
    standIn,
    image,
    folder,
    copiersOf,

    /** Claimed, since who is not has no snapshots. */
    async start(yaml: string): Promise<Started> {
      const app = await berth.start(yaml);
      await berth.reach(app, 'running');
      await claim(berth, app);
      return app;
    },

    async take(of: Started, more: object = {}): Promise<string> {
      const { status, body, text } = await berth.postJson('/createSnapshot', { ...named(of), ...more });
      assert.equal(status, 200, text);
      return body.snapshot.id;
    },

    async whenTaken(of: Started, id: string) {
      return await until('the snapshot is taken', async () => {
        const found = (await reported(of)).snapshots.find((each: { id: string }) => each.id === id);
        assert.notEqual(found.state, 'failed', found.problem);
        return found.state === 'taken' ? found : undefined;
      });
    },

    async restore(of: Started, id: string, more: object = {}) {
      const { status, body, text } = await berth.postJson('/restoreSnapshot', { ...named(of), snapshot: id, ...more });
      assert.equal(status, 200, text);
      return body;
    },

    async whenRestored(of: Started): Promise<void> {
      await until('it is restored', async () => {
        const { restores } = await reported(of);
        assert.notEqual(restores[0]?.state, 'failed', restores[0]?.problem);
        return restores[0]?.state === 'done' || undefined;
      });
    },

    async nothingIsLeft(of: Started): Promise<void> {
      await until('nothing is left of copies', async () => (await copiersOf(of)).length === 0 || undefined);
      assert.deepEqual((await berth.inventory()).orphans, []);
    },

    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
