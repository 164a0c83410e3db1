/** `GET /api/images`: what the caller has pushed. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { imagesCommand } from '../../src/cli/admin/images-command.ts';
import type { Streams } from '../../src/cli/terminal.ts';
import { digestOf } from '../../src/lib/digest.ts';
import type { Settings } from '../../src/settings/settings.ts';
import { pushedRepositories } from '../../src/store/pushed-repositories.ts';
import { addAccount } from '../support/accounts.ts';
import { type ImageRegistry, imageManifest, ociImage, openImageRegistry } from '../support/image-registry.ts';

let registry: ImageRegistry;
before(async () => {
  registry = await openImageRegistry();
});
after(() => registry.close());

type Pusher = Awaited<ReturnType<ImageRegistry['pusher']>>;

/**
 * Pushes an image with a configuration and one layer. Returns the bytes that the service stores for them and for the
 * manifest.
 */
async function push({ token, namespace }: Pusher, name: string, layer: string) {
  const [config, content] = [Buffer.from(JSON.stringify({ name })), Buffer.from(layer)];
  const [repository, tag] = name.split(':') as [string, string];
  const at = `/v2/${namespace}/${repository}`;
  for (const body of [config, content])
    await registry.ask('POST', `${at}/blobs/uploads/?digest=${digestOf(body)}`, { token, body });
  const body = imageManifest(config, [content]);
  const headers = { 'content-type': ociImage };
  assert.equal((await registry.ask('PUT', `${at}/manifests/${tag}`, { token, body, headers })).status, 201);
  return { config: config.length, layer: content.length, manifest: body.length };
}

const listed = async (token: string) =>
  (await registry.api.get('/api/images', { authorization: `Bearer ${token}` })).body.images;

test('a session sees its own images with tags and sizes, a layer of several versions counted once', async () => {
  const [owner, stranger] = [await registry.pusher(), await registry.pusher()];
  const first = await push(owner, 'api:1', 'the same layer');
  const second = await push(owner, 'api:2', 'the same layer');
  const other = await push(stranger, 'web:latest', 'another layer');
  const [image, ...more] = await listed(owner.token);
  assert.deepEqual(more, []);
  assert.deepEqual([image.image, image.tags], [`${owner.namespace}/api`, ['1', '2']]);
  const bytes = first.layer + first.config + second.config + first.manifest + second.manifest;
  assert.equal(image.sizeBytes, bytes);
  assert.ok(Date.parse(image.lastUsedAt) >= Date.parse(image.pushedAt));
  const [theirs] = await listed(stranger.token);
  assert.deepEqual([theirs.image, theirs.sizeBytes], [`${stranger.namespace}/web`, sum(other)]);
});

test('only an account sees the images of its own sessions', async () => {
  const { service } = registry.api;
  const [first, second] = [await registry.pusher(), await registry.pusher()];
  await push(first, 'api:1', 'one');
  await push(second, 'web:1', 'two');
  await addAccount(service.db, 'ada');
  await service.db.updateTable('sessions').set({ accountId: 'ada' }).where('id', '=', first.sessionId).execute();
  const own = await pushedRepositories(service.db, { accountId: 'ada' });
  assert.deepEqual(
    own.map(({ repository, email }) => [repository, email]),
    [[`${first.namespace}/api`, 'ada@example.com']],
  );
});

test('the operator sees the owner of each image, by e-mail or by the address that limits count, and the free space', async () => {
  const { service } = registry.api;
  const other = await registry.pusher();
  for (let tag = 1; tag <= 6; tag++) await push(other, `tagged:${tag}`, 'with many tags');
  const settings = { pushedBytes: 2 ** 30 } as Settings;
  const noStreams = {} as Streams;
  const { text } = await imagesCommand.run(service.db, [], settings, () => {}, {}, noStreams);
  const lines = text.split('\n');
  assert.match(lines[0]!, /^IMAGE +TAGS +SIZE +OWNER +PUSHED +LAST USED$/);
  const ofSession = lines.find((line) => line.startsWith(`${other.namespace}/tagged`));
  assert.match(ofSession ?? '', / 1 2 3 4 and 2 more .* no account, from \S+ /);
  assert.ok(lines.some((line) => / ada@example\.com /.test(line)));
  assert.match(text, /\n\n[\d.]+ \w+ of 1 GiB \(pushed in BERTH_IMAGE_LIMITS\), shared layers counted once\n$/);
});

test('a request without credentials is answered with how to send them', async () => {
  assert.equal((await registry.api.get('/api/images')).body.code, 'missing_token');
});

function sum(parts: Record<string, number>): number {
  return Object.values(parts).reduce((total, bytes) => total + bytes, 0);
}
