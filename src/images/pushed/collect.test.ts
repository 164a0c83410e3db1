import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { Kysely, KyselyPlugin } from 'kysely';
import { addAccount } from '../../../test/support/accounts.ts';
import { deploymentOf } from '../../../test/support/deployments.ts';
import { emptyStore } from '../../../test/support/empty-store.ts';
import { imageManifest, ociImage } from '../../../test/support/image-registry.ts';
import { pushedReference } from '../../config/values/pushed-image.ts';
import { type Digest, digestOf } from '../../lib/digest.ts';
import { addDeployment } from '../../store/deployments.ts';
import { findPushedManifest, removePushedManifest } from '../../store/pushed-images.ts';
import { pushedRepositories } from '../../store/pushed-repositories.ts';
import { acceptSweep, holdSweep } from '../../store/quarantine.ts';
import { settleImage } from '../../store/revisions.ts';
import type { Tables } from '../../store/rows.ts';
import { addSession } from '../../store/sessions.ts';
import { type BlobFolder, openBlobFolder } from '../blobs/blob-folder.ts';
import { collect } from './open.ts';
import { blobSize, createPushedImages, type PushedImages, takeBlob, takeManifest } from './pushed-image-store.ts';
import { namespaceOf } from './repository-names.ts';

const payer = { kind: 'client', client: 'c' } as const;

const hour = 3_600_000;
const keeping = { graceMs: hour, keepMs: 30 * 24 * hour };
let directory: string;
let folders = 0;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'berth-collect-'));
});
after(() => rm(directory, { recursive: true }));

/** A step at which the process can die: nothing after it happens. */
class Killed extends Error {}

/** `killAt`: the number of steps before the kill. Each query and each change of a file is one step. */
async function openWorld() {
  const path = join(directory, String(folders++));
  const db = await emptyStore();
  const clock = { now: Date.now() };
  const open = async (killAt = Number.POSITIVE_INFINITY): Promise<PushedImages> => {
    let steps = 0;
    const step = () => {
      if (steps++ >= killAt) throw new Killed();
    };
    const plugin: KyselyPlugin = {
      transformQuery({ node }) {
        step();
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const folder = await openBlobFolder(path);
    const dying: BlobFolder = {
      ...folder,
      adopt: async (...args) => {
        step();
        return await folder.adopt(...args);
      },
      remove: async (digest) => {
        step();
        await folder.remove(digest);
      },
    };
    return createPushedImages(db.withPlugin(plugin) as Kysely<Tables>, dying, () => clock.now);
  };
  return { db, clock, open, path };
}

type World = Awaited<ReturnType<typeof openWorld>>;

/** A session with a deployment that does not expire. */
async function deploy({ db }: World, sessionId: string): Promise<string> {
  const id = `${sessionId}-shop`;
  await addSession(db, { id: sessionId, token: sessionId, createdAt: 0 });
  await addDeployment(db, deploymentOf({ id, sessionId, label: id }));
  return id;
}

const sessionNamespace = (sessionId: string) => ({
  name: namespaceOf({ kind: 'session', sessionId }),
  sessionId,
  accountId: null,
  client: 'c',
});

async function pushBlob(images: PushedImages, sessionId: string, content: string): Promise<void> {
  const repository = `${sessionNamespace(sessionId).name}/api`;
  const id = await images.uploads.begin(repository, payer);
  await images.uploads.use({ repository, id: id!, payer }, async (staged) => {
    await staged.write(Buffer.from(content));
    await takeBlob(images, sessionNamespace(sessionId), staged, digestOf(content), async () => {});
    images.uploads.end(repository, id!);
  });
}

/** An image of one layer, and its digest. */
async function push(
  images: PushedImages,
  { sessionId, tag, layer }: { sessionId: string; tag: string; layer: string },
) {
  const namespace = sessionNamespace(sessionId);
  for (const content of ['{}', layer]) await pushBlob(images, sessionId, content);
  const content = imageManifest(Buffer.from('{}'), [Buffer.from(layer)]);
  const taken = await takeManifest(images, {
    repository: `${namespace.name}/api`,
    namespace,
    content,
    declaredType: ociImage,
    reference: { kind: 'tag', tag },
  });
  assert.ok(taken.ok);
  return taken.value.digest;
}

/** Asserts that a client can pull everything: every manifest, and all of its blobs, complete. */
async function assertWhole({ db, open }: World): Promise<void> {
  const { folder } = await open();
  const digests = [
    ...(await db.selectFrom('pushedManifests').select('digest').execute()),
    ...(await db.selectFrom('pushedBlobs').select('digest').execute()),
  ];
  for (const { digest } of digests) {
    const found = await folder.read(digest as Digest);
    assert.ok(found, `${digest} is named and has no bytes`);
    assert.equal(digestOf(await buffer(found.stream)), digest);
  }
  const parts = await db.selectFrom('manifestParts').select('digest').execute();
  const named = new Set(digests.map(({ digest }) => digest));
  for (const { digest } of parts) assert.ok(named.has(digest), `a manifest names ${digest}, which has left`);
}

test('a crash at any step of a push or a collection leaves every image whole, and the next run leaves nothing behind', async () => {
  const act = fc.record({
    sessionId: fc.constantFrom('one', 'two'),
    kind: fc.constantFrom('push', 'blob', 'remove', 'collect', 'later'),
    layer: fc.constantFrom('a', 'b', 'c'),
    tag: fc.constantFrom('1', '2'),
    killAt: fc.option(fc.nat(40), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 12 }), async (acts) => {
      const world = await openWorld();
      for (const sessionId of ['one', 'two']) await deploy(world, sessionId);
      for (const { kind, sessionId, layer, tag, killAt } of acts) {
        const images = await world.open(killAt);
        const repository = `${sessionNamespace(sessionId).name}/api`;
        try {
          if (kind === 'push') await push(images, { sessionId, tag, layer });
          if (kind === 'blob') await pushBlob(images, sessionId, layer);
          if (kind === 'collect') await collect(images, keeping);
          if (kind === 'later') world.clock.now += 2 * hour;
          const manifest = kind === 'remove' && (await findPushedManifest(images.db, repository, { tag }));
          if (manifest) await removePushedManifest(images.db, repository, manifest.digest);
        } catch (error) {
          if (!(error instanceof Killed)) throw error;
        }
        await assertWhole(world);
      }
      world.clock.now += 2 * hour;
      const images = await world.open();
      await collect(images, keeping);
      await collect(images, keeping);
      await assertWhole(world);
      const tagged = await world.db.selectFrom('pushedTags').select('digest').distinct().execute();
      const kept = await images.folder.list();
      const manifests = await world.db.selectFrom('pushedManifests').select('digest').distinct().execute();
      assert.equal(manifests.length, tagged.length, 'what no tag names has left');
      const parts = await world.db.selectFrom('manifestParts').select('digest').distinct().execute();
      assert.deepEqual(kept.toSorted(), [...manifests, ...parts].map(({ digest }) => digest).toSorted());
      await world.db.destroy();
    }),
    { numRuns: 30 },
  );
});

test('a session and its images: as long as it is there, and for the grace afterwards', async () => {
  const world = await openWorld();
  const deploymentId = await deploy(world, 'one');
  const images = await world.open();
  await push(images, { sessionId: 'one', tag: '1', layer: 'a' });
  const count = async () => {
    await collect(images, keeping);
    return (await images.folder.list()).length;
  };
  world.clock.now += 100 * hour;
  assert.equal(await count(), 3);
  await world.db.updateTable('deployments').set({ removedAt: 1 }).where('id', '=', deploymentId).execute();
  world.clock.now += hour / 2;
  assert.equal(await count(), 3);
  world.clock.now += hour;
  assert.equal(await count(), 0);
  assert.deepEqual(await world.db.selectFrom('imageNamespaces').selectAll().execute(), []);
});

test('what an account has pushed stays a month after its last use', async () => {
  const world = await openWorld();
  await addAccount(world.db, 'me');
  const images = await world.open();
  const namespace = {
    name: namespaceOf({ kind: 'account', accountId: 'me' }),
    sessionId: null,
    accountId: 'me',
    client: 'c',
  };
  const content = imageManifest(Buffer.from('{}'), []);
  const repository = `${namespace.name}/api`;
  const id = await images.uploads.begin(repository, payer);
  await images.uploads.use({ repository, id: id!, payer }, async (staged) => {
    await staged.write(Buffer.from('{}'));
    await takeBlob(images, namespace, staged, digestOf('{}'), async () => {});
  });
  await takeManifest(images, {
    repository,
    namespace,
    content,
    declaredType: ociImage,
    reference: { kind: 'tag', tag: '1' },
  });
  world.clock.now += 29 * 24 * hour;
  assert.equal((await collect(images, keeping)).manifests, 0);
  world.clock.now += 2 * 24 * hour;
  assert.deepEqual(await collect(images, keeping), { manifests: 1, files: 2 });
});

test('what a present deployment runs from stays, also when its tag has moved on', async () => {
  const world = await openWorld();
  const deploymentId = await deploy(world, 'one');
  const images = await world.open();
  const digest = await push(images, { sessionId: 'one', tag: '1', layer: 'a' });
  const repository = `${sessionNamespace('one').name}/api`;
  await settleImage(world.db, deploymentId, 1, {
    image: './api:1',
    reference: pushedReference(repository, { digest }),
    by: 'registry',
  });
  await push(images, { sessionId: 'one', tag: '1', layer: 'b' });
  world.clock.now += 100 * hour;
  await collect(images, keeping);
  assert.ok(await findPushedManifest(world.db, repository, { digest }));
  await world.db.updateTable('deployments').set({ goneAt: 1 }).where('id', '=', deploymentId).execute();
  world.clock.now += 2 * hour;
  await collect(images, keeping);
  assert.equal(await findPushedManifest(world.db, repository, { digest }), undefined);
});

test('pushed images are listed by repository, and a layer of two images counts once', async () => {
  const world = await openWorld();
  const images = await world.open();
  for (const sessionId of ['one', 'two']) await deploy(world, sessionId);
  await push(images, { sessionId: 'one', tag: '1', layer: 'a' });
  await push(images, { sessionId: 'two', tag: '1', layer: 'a'.repeat(5_000) });
  await push(images, { sessionId: 'two', tag: '2', layer: 'a'.repeat(5_000) });
  const [large, small] = (await pushedRepositories(world.db)).toSorted((a, b) => b.sizeBytes - a.sizeBytes);
  assert.deepEqual([large?.sessionId, large?.tags], ['two', ['1', '2']]);
  assert.deepEqual([small?.sessionId, small?.tags], ['one', ['1']]);
  const manifestBytes = imageManifest(Buffer.from('{}'), [Buffer.from('a')]).length;
  assert.equal(small?.sizeBytes, manifestBytes + 2 + 1);
  assert.ok(large && large.sizeBytes > 5_000 && large.sizeBytes < 6_000, `${large?.sizeBytes}`);
});

test('a layer that was just reported to a client is not collected during its push', async () => {
  const world = await openWorld();
  const images = await world.open();
  await pushBlob(images, 'one', 'a');
  world.clock.now += 2 * hour;
  assert.equal(await blobSize(images, sessionNamespace('one').name, digestOf('a')), 1);
  assert.equal((await collect(images, keeping)).files, 0);
  world.clock.now += 2 * hour;
  assert.equal((await collect(images, keeping)).files, 1);
});

test('while the sweep is on hold, bytes that no row names stay: the database may be an older copy', async () => {
  const world = await openWorld();
  const images = await world.open();
  await deploy(world, 'one');
  await push(images, { sessionId: 'one', tag: 'latest', layer: 'layer' });
  const files = await images.folder.list();
  for (const table of ['pushedTags', 'manifestParts', 'pushedManifests', 'pushedBlobs'] as const)
    await world.db.deleteFrom(table).execute();
  await holdSweep(world.db, { reasons: [{ kind: 'many-unknown', deployments: 4 }] });
  assert.equal((await collect(images, keeping)).files, 0);
  assert.deepEqual(await images.folder.list(), files);
  await acceptSweep(world.db, { actor: 'me', now: 1 });
  assert.equal((await collect(images, keeping, true)).files, 0, 'nor at a start');
  assert.equal((await collect(images, keeping)).files, files.length);
});
