/** Requests to the registry of pushed images, as its clients send them and with something wrong. */
import fc from 'fast-check';
import { digestOf } from '../../src/lib/digest.ts';
import { imageManifest, ociImage, ociIndex } from '../support/image-registry.ts';
import { type Known, type Plan, write } from './operations.ts';
import { anything, headers } from './values.ts';
import { plantedBlob } from './victim.ts';

/** Few and small, so that many requests are about the same ones, and what is kept of them does not grow. */
const blobs = ['a layer', 'another layer', '{"architecture":"amd64","os":"linux"}', '', 'x'.repeat(70_000)];
const names = ['web', 'api', 'a/b/c'];
const tags = ['1', 'latest', 'v2.0_x'];

const blob = fc.constantFrom(...blobs);
const digest = fc.oneof(
  { weight: 8, arbitrary: blob.map((content): string => digestOf(content)) },
  { weight: 1, arbitrary: fc.constant<string>(digestOf(plantedBlob)) },
  { weight: 1, arbitrary: fc.constantFrom('sha256:', `sha256:${'0'.repeat(64)}`, `sha512:${'a'.repeat(128)}`) },
  { weight: 1, arbitrary: anything },
);
const reference = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...tags) },
  { weight: 2, arbitrary: manifest().map(({ content }): string => digestOf(content)) },
  { weight: 1, arbitrary: digest },
  { weight: 1, arbitrary: anything },
);

type Request = { method: string; path: string; headers?: [string, string][]; body?: string };
/** `repository` is a whole name; `upload` the path of one that was begun in it. */
type Place = { repository: string; upload: string | undefined };

export const registryRequests: fc.Arbitrary<Plan> = fc
  .record({
    ask: request(),
    further: headers,
    pusher: fc.nat(),
    upload: fc.nat(),
    name: fc.constantFrom(...names),
    whose: fc.constantFrom('own', 'own', 'own', 'own', 'own', 'own', 'others', 'victim', 'strange'),
    scheme: fc.constantFrom('Basic', 'Basic', 'Basic', 'Bearer', 'none'),
    isChunked: fc.boolean(),
    strange: anything,
  })
  .map(({ ask, further, pusher, upload, name, whose, scheme, isChunked, strange }): Plan => {
    return (known) => {
      const { pushers, victimNamespace } = known;
      const own = pushers[pusher % pushers.length];
      const namespaces = {
        own: own?.namespace,
        others: pushers[(pusher + 1) % pushers.length]?.namespace,
        victim: victimNamespace,
        strange: encodeURI(strange.toWellFormed()).replaceAll('#', '%23'),
      };
      const namespace = namespaces[whose as keyof typeof namespaces] ?? 'nobody';
      const uploads = whose === 'own' ? uploadsOf(known, namespace) : known.uploads;
      const requested = ask({ repository: `${namespace}/${name}`, upload: uploads[upload % uploads.length] });
      const lines = [...(requested.headers ?? []), ...further];
      if (own && scheme === 'Bearer') lines.push(['Authorization', `Bearer ${own.token}`]);
      if (own && scheme === 'Basic') lines.push(['Authorization', `Basic ${base64(`me:${own.token}`)}`]);
      const bytes = write(requested.method, requested.path, lines, requested.body ?? '', isChunked);
      return { bytes, isRegistry: true, ...(own && { token: own.token }) };
    };
  });

function uploadsOf({ uploads }: Known, namespace: string): string[] {
  return uploads.filter((path) => path.startsWith(`/v2/${namespace}/`));
}

function request(): fc.Arbitrary<(place: Place) => Request> {
  const read = fc.constantFrom('GET', 'HEAD');
  const query = (text: string) => encodeURIComponent(text.toWellFormed());
  const begin = fc
    .record({ end: fc.option(blob), mount: fc.option(digest), from: fc.option(fc.constantFrom(...names, 'x/y')) })
    .map(({ end, mount, from }) => ({ repository }: Place): Request => {
      const mounting = mount === null ? '' : `mount=${query(mount)}&from=${query(mountedFrom(repository, from))}`;
      const ending = end === null ? '' : `digest=${query(digestOf(end))}`;
      const path = `/v2/${repository}/blobs/uploads/?${mounting || ending}`;
      return { method: 'POST', path, ...(end !== null && !mounting && { body: end }) };
    });
  const proceed = fc
    .record({
      content: blob,
      method: fc.constantFrom('PATCH', 'PATCH', 'PUT', 'PUT', 'GET', 'DELETE'),
      /** Half of the time what is sent is what its digest says. */
      fits: fc.boolean(),
      other: digest,
      range: fc.option(fc.oneof(fc.constantFrom('0-6', '7-13', '0-0', '9-1', 'bytes=0-6'), anything), { freq: 4 }),
    })
    .map(({ content, method, fits, other, range }) => ({ repository, upload }: Place): Request => {
      const at = upload ?? `/v2/${repository}/blobs/uploads/${'0'.repeat(32)}`;
      const path = method === 'PUT' ? `${at}?digest=${query(fits ? digestOf(content) : other)}` : at;
      const lines: [string, string][] = range === null ? [] : [['Content-Range', range]];
      return { method, path, headers: lines, ...(method[0] === 'P' && { body: content }) };
    });
  const readBlob = fc
    .record({ method: read, digest, range: fc.option(fc.constantFrom('bytes=0-3', 'bytes=9999999-', 'bytes=x')) })
    .map(({ method, digest, range }) => ({ repository }: Place): Request => {
      const path = `/v2/${repository}/blobs/${query(digest)}`;
      return { method, path, ...(range !== null && { headers: [['Range', range]] }) };
    });
  const pushManifest = fc
    .record({ manifest: manifest(), reference })
    .map(({ manifest: { content, type }, reference }) => ({ repository }: Place): Request => {
      const path = `/v2/${repository}/manifests/${query(reference)}`;
      return { method: 'PUT', path, headers: [['Content-Type', type]], body: content };
    });
  const readManifest = fc.record({ method: fc.constantFrom('GET', 'GET', 'HEAD', 'DELETE'), reference }).map(
    ({ method, reference }) =>
      ({ repository }: Place): Request => ({ method, path: `/v2/${repository}/manifests/${query(reference)}` }),
  );
  const list = fc
    .record({ n: fc.option(fc.oneof(fc.constantFrom('0', '1', '1000000'), anything)), last: fc.option(anything) })
    .map(({ n, last }) => ({ repository }: Place): Request => {
      const path = `/v2/${repository}/tags/list?n=${query(n ?? '')}&last=${query(last ?? '')}`;
      return { method: 'GET', path };
    });
  const astray = fc.record({ method: fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'OPTIONS'), path: anything }).map(
    ({ method, path }) =>
      (): Request => ({ method, path: `/v2/${query(path)}` }),
  );
  return fc.oneof(
    { weight: 3, arbitrary: begin },
    { weight: 4, arbitrary: proceed },
    { weight: 2, arbitrary: readBlob },
    { weight: 3, arbitrary: pushManifest },
    { weight: 2, arbitrary: readManifest },
    { weight: 1, arbitrary: list },
    { weight: 1, arbitrary: astray },
  );
}

function mountedFrom(repository: string, from: string | null): string {
  if (from === null) return '';
  return from.includes('/') ? from : `${repository.split('/')[0]}/${from}`;
}

/** Manifests of pushed blobs, of others, or of none. */
function manifest(): fc.Arbitrary<{ content: string; type: string }> {
  const image = fc.record({ config: blob, layers: fc.array(blob, { maxLength: 3 }) }).map(({ config, layers }) =>
    imageManifest(
      Buffer.from(config),
      layers.map((layer) => Buffer.from(layer)),
    ).toString(),
  );
  const index = fc.array(image, { maxLength: 2 }).map((manifests) =>
    JSON.stringify({
      schemaVersion: 2,
      mediaType: ociIndex,
      manifests: manifests.map((content) => ({
        mediaType: ociImage,
        digest: digestOf(content),
        size: content.length,
        platform: { architecture: 'amd64', os: 'linux' },
      })),
    }),
  );
  const cut = image.chain((content) => fc.nat(content.length).map((end) => content.slice(0, end)));
  return fc.record({
    content: fc.oneof(
      { weight: 6, arbitrary: image },
      { weight: 2, arbitrary: index },
      { weight: 1, arbitrary: cut },
      { weight: 1, arbitrary: anything },
      { weight: 1, arbitrary: fc.json() },
    ),
    type: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(ociImage, ociIndex) },
      { weight: 1, arbitrary: fc.constantFrom('application/json', '', 'x') },
    ),
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
