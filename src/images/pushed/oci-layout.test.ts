import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type Digest, digestOf } from '../../lib/digest.ts';
import { type BlobFolder, openBlobFolder } from '../blobs/blob-folder.ts';
import { stageFile } from '../blobs/staged-file.ts';
import { describeLayout } from './oci-layout.ts';

let root: string;
let folder: BlobFolder;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'berth-layout-'));
  folder = await openBlobFolder(root);
});
afterEach(() => rm(root, { recursive: true }));

async function put(content: string): Promise<{ digest: Digest; size: number }> {
  const digest = digestOf(content);
  const staged = await stageFile(folder.stagingPath(digest.slice(7, 20)));
  await staged.write(Buffer.from(content));
  assert.equal(await folder.adopt(staged, { digest }), 'kept');
  return { digest, size: content.length };
}

async function putImage(): Promise<{ manifest: Digest; config: Digest; layer: Digest }> {
  const config = await put('{"architecture":"amd64"}');
  const layer = await put('a layer');
  const manifest = await put(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
      layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', ...layer }],
    }),
  );
  return { manifest: manifest.digest, config: config.digest, layer: layer.digest };
}

test('a layout names each image for tools of OCI and for docker load, and has all of its parts once', async () => {
  const { manifest, config, layer } = await putImage();
  const wanted = [
    { name: 'shop-web:1', digest: manifest },
    { name: 'shop-api:1', digest: manifest },
  ];
  const { documents, blobs, missing } = await describeLayout(folder, wanted);
  assert.deepEqual(missing, []);
  assert.deepEqual(blobs.map(({ digest }) => digest).sort(), [manifest, config, layer].sort());
  const read = (path: string) => JSON.parse(documents.find((one) => one.path === path)!.content);
  const names = read('index.json').manifests.map(
    ({ annotations }: { annotations: Record<string, string> }) => annotations['org.opencontainers.image.ref.name'],
  );
  assert.deepEqual(names, ['shop-web:1', 'shop-api:1']);
  const path = (digest: string) => `blobs/${digest.replace(':', '/')}`;
  const [first] = read('manifest.json');
  assert.deepEqual(first, { Config: path(config), RepoTags: ['shop-web:1'], Layers: [path(layer)] });
});

test('an image with a missing part is reported as missing, and is not in the layout', async () => {
  const { manifest, layer } = await putImage();
  await folder.remove(layer);
  const image = { name: 'shop-web:1', digest: manifest };
  const { documents, blobs, missing } = await describeLayout(folder, [image]);
  assert.deepEqual([documents, blobs, missing], [[], [], [image]]);
});
