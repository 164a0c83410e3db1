/** Reads pushed images through the interface of a remote registry, so that resolving and the gate treat both alike. */
import { Readable } from 'node:stream';
import { pushedRegistry } from '../../config/values/pushed-image.ts';
import { isDigest } from '../../lib/digest.ts';
import { pushedBlobSizes } from '../../store/pushed-blobs.ts';
import { findPushedManifest } from '../../store/pushed-images.ts';
import type { Answer } from '../dialer/dialer.ts';
import type { RegistryClient } from '../upstream/registry-client.ts';
import type { PushedImages } from './pushed-image-store.ts';
import { namespaceIn, readReference } from './repository-names.ts';

const url = new URL(`https://${pushedRegistry}/`);
const absent: Answer = { status: 404, headers: {}, url, body: Readable.from([]) };

/** The caller has checked the access to the image. */
export function createPushedClient(
  { db, folder }: Pick<PushedImages, 'db' | 'folder'>,
  repository: string,
): RegistryClient {
  async function manifest(text: string): Promise<{ digest: string; headers: Answer['headers'] } | undefined> {
    const reference = readReference(text);
    const found = reference && (await findPushedManifest(db, repository, reference));
    if (!found) return undefined;
    const { digest, mediaType } = found;
    return { digest, headers: { 'content-type': mediaType, 'docker-content-digest': digest } };
  }

  async function blob(digest: string): Promise<{ digest: string; headers: Answer['headers'] } | undefined> {
    const sizes = await pushedBlobSizes(db, namespaceIn(repository), [digest]);
    return sizes.has(digest) ? { digest, headers: {} } : undefined;
  }

  return {
    async open(digest) {
      return (await blob(digest)) && (await folder.open(digest));
    },
    async ask(method, path, { range }) {
      const [kind, text = ''] = path.split('/');
      const found = kind === 'manifests' ? await manifest(text) : await blob(text);
      if (!found || !isDigest(found.digest)) return absent;
      const { digest, headers } = found;
      if (method === 'HEAD') return { status: 200, headers, url, body: Readable.from([]) };
      const first = Number(/^bytes=(\d{1,15})-$/.exec(range ?? '')?.[1] ?? 0);
      const read = await folder.read(digest, first > 0 ? { first, last: Number.MAX_SAFE_INTEGER } : undefined);
      if (!read) return absent;
      return { status: first > 0 ? 206 : 200, headers, url, body: read.stream };
    },
  };
}
