import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readPushedManifest } from './pushed-manifest.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const config = { mediaType: 'application/vnd.oci.image.config.v1+json', digest, size: 2 };
const layer = { mediaType: 'application/vnd.oci.image.layer.v1.tar+zstd', digest, size: 9 };
const image = {
  schemaVersion: 2,
  mediaType: 'application/vnd.oci.image.manifest.v1+json',
  config,
  layers: [layer],
};
const index = {
  schemaVersion: 2,
  mediaType: 'application/vnd.oci.image.index.v1+json',
  manifests: [{ mediaType: image.mediaType, digest, size: 100 }],
};

const read = (manifest: unknown, declared?: string) =>
  readPushedManifest(Buffer.from(JSON.stringify(manifest)), declared);

function refusal(manifest: unknown, declared?: string): string {
  const result = read(manifest, declared);
  return result.ok ? 'taken' : result.problem.error;
}

test('images and indexes of Docker and OCI are accepted, with all their parts', () => {
  const found = read(image, image.mediaType);
  assert.deepEqual(found.ok && found.value, {
    mediaType: image.mediaType,
    blobs: [
      { digest, sizeBytes: 2 },
      { digest, sizeBytes: 9 },
    ],
    manifests: [],
  });
  assert.deepEqual(read(index).ok && read(index), {
    ok: true,
    value: { mediaType: index.mediaType, blobs: [], manifests: [{ digest, sizeBytes: 100 }] },
  });
  const docker = 'application/vnd.docker.distribution.manifest.v2+json';
  const dockerConfig = { ...config, mediaType: 'application/vnd.docker.container.image.v1+json' };
  const dockerLayer = { ...layer, mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip' };
  assert.equal(refusal({ ...image, mediaType: docker, config: dockerConfig, layers: [dockerLayer] }), 'taken');
});

test('a build tool’s attestation is accepted with the image', () => {
  const attestation = { ...layer, mediaType: 'application/vnd.in-toto+json' };
  assert.equal(refusal({ ...image, layers: [attestation] }), 'taken');
});

test('an image without layers is one', () => {
  assert.equal(refusal({ ...image, layers: [] }), 'taken');
});

test('a manifest that does not say what it is goes by the type that it was sent with', () => {
  const { mediaType, ...silent } = image;
  assert.equal(refusal(silent, `${mediaType}; charset=utf-8`), 'taken');
  assert.match(refusal(silent), /media type "undefined" are not taken/);
  assert.match(refusal(image, index.mediaType), /says that it is .* and was sent as/);
});

test('addresses of elsewhere are refused, wherever they are', () => {
  const urls = ['http://169.254.169.254/latest'];
  for (const manifest of [
    { ...image, config: { ...config, urls } },
    { ...image, layers: [{ ...layer, urls }] },
    { ...index, manifests: [{ ...index.manifests[0], urls }] },
  ])
    assert.match(refusal(manifest), /has "urls"/);
  assert.equal(refusal({ ...image, layers: [{ ...layer, urls: [] }] }), 'taken');
});

test('what is not known is refused in words', () => {
  const of = (mediaType: string) => ({ ...layer, mediaType });
  const cases: [manifest: unknown, words: RegExp][] = [
    [{ ...image, schemaVersion: 1 }, /schema version 2/],
    [{ ...image, mediaType: 'application/vnd.docker.distribution.manifest.v1+json' }, /are not taken/],
    [
      { ...image, config: { ...config, mediaType: 'application/vnd.cncf.helm.config.v1+json' } },
      /does not belong to an image/,
    ],
    [{ ...image, layers: [of('application/vnd.docker.image.rootfs.foreign.diff.tar.gzip')] }, /kept elsewhere/],
    [{ ...image, layers: [of('application/vnd.oci.image.layer.nondistributable.v1.tar')] }, /kept elsewhere/],
    [{ ...image, layers: [of('application/x-iso9660-image')] }, /not known here/],
    [{ ...image, layers: Array.from({ length: 1_001 }, () => layer) }, /1001 parts/],
    [{ ...index, manifests: [{ ...index.manifests[0], mediaType: index.mediaType }] }, /images only/],
    [{ ...image, layers: [{ ...layer, digest: 'sha256:../../x' }] }, /64 hexadecimal digits/],
    [{ ...image, layers: [{ ...layer, size: -1 }] }, /number of bytes/],
    [{ ...image, layers: undefined }, /no list/],
    [{ ...image, config: undefined }, /does not describe the configuration/],
    [[], /not a JSON object/],
    ['text', /not a JSON object/],
  ];
  for (const [manifest, words] of cases) assert.match(refusal(manifest), words);
  assert.equal(readPushedManifest(Buffer.alloc(4 * 2 ** 20 + 1, ' '), undefined).ok, false);
  assert.equal(readPushedManifest(Buffer.from([0x7b, 0xff, 0x7d]), undefined).ok, false);
});

test('any input is accepted or refused, and never throws', () => {
  const part = fc.record({ mediaType: fc.anything(), digest: fc.anything(), size: fc.anything(), urls: fc.anything() });
  const manifest = fc.record(
    {
      schemaVersion: fc.constant(2),
      mediaType: fc.constantFrom(image.mediaType, index.mediaType, null, 3),
      config: fc.oneof(fc.constant(config), part, fc.anything()),
      layers: fc.oneof(fc.array(part), fc.anything()),
      manifests: fc.oneof(fc.array(part), fc.anything()),
    },
    { requiredKeys: [] },
  );
  fc.assert(fc.property(fc.oneof(manifest, fc.json()), (value) => void read(value, image.mediaType)));
});
