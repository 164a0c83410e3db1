/**
 * The images that users push: blobs in a folder, owners and references in the database. A blob is complete in the
 * folder before a row names it, and rows are removed before its file. For one digest, both never happen concurrently. A
 * crash in between leaves a file without a row, which the next collection removes.
 */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Kysely } from 'kysely';
import { pushedRegistry } from '../../config/values/pushed-image.ts';
import { serializeByKey } from '../../lib/concurrency.ts';
import { type Digest, digestOf, isDigest } from '../../lib/digest.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import type { Database } from '../../store/database.ts';
import { type Namespace, provideNamespace } from '../../store/image-namespaces.ts';
import { addPushedBlob, pushedBlobSizes, retainPushedBlob } from '../../store/pushed-blobs.ts';
import {
  addPushedManifest,
  findPushedManifest,
  knownManifests,
  type PushedManifest,
} from '../../store/pushed-images.ts';
import type { Tables } from '../../store/rows.ts';
import { write } from '../../store/transaction.ts';
import { removeUnnamedBlob } from '../../store/unwanted-images.ts';
import type { Adopted, BlobFolder } from '../blobs/blob-folder.ts';
import { type StagedFile, stageFile } from '../blobs/staged-file.ts';
import type { Answer } from '../dialer/dialer.ts';
import type { RegistryClient } from '../upstream/registry-client.ts';
import { type ManifestFacts, readPushedManifest } from './pushed-manifest.ts';
import { namespaceIn, readReference } from './repository-names.ts';
import { createUploads, type Uploads } from './uploads.ts';

export type PushedImages = {
  db: Kysely<Tables>;
  folder: BlobFolder;
  uploads: Uploads;
  now: () => number;
  /** Adding a blob and removing its file happen one at a time for each digest. */
  turns: ReturnType<typeof serializeByKey>;
};

export function createPushedImages(db: Kysely<Tables>, folder: BlobFolder, now: () => number): PushedImages {
  return { db, folder, now, uploads: createUploads(folder, now), turns: serializeByKey() };
}

export type NewBlob = { namespace: string; digest: Digest; sizeBytes: number };

/** The blob does not fit into the quota of its payer, or of all payers. The message is for the payer. */
export class QuotaFault extends Error {}

/** Throws QuotaFault when the namespace may not have the blob. It is called in the transaction that would add it. */
export type CheckRoom = (db: Database, blob: NewBlob) => Promise<void>;

/** Adds a completely written blob if its digest matches. That proves that the client has it. */
export async function takeBlob(
  { db, folder, turns, now }: PushedImages,
  namespace: Namespace,
  staged: StagedFile,
  digest: Digest,
  checkRoom: CheckRoom,
): Promise<Adopted> {
  const { sizeBytes } = staged;
  return await turns(digest, async () => {
    const adopted = await folder.adopt(staged, { digest });
    if (adopted !== 'kept') return adopted;
    await write(db, 'all', (transaction) => addBlob(transaction, namespace, { digest, sizeBytes }, checkRoom, now()));
    return adopted;
  });
}

/** Adds an existing blob to a namespace whose owner has it. Returns false if it is not in the folder yet. */
export async function nameBlob(
  { db, folder, turns, now }: PushedImages,
  namespace: Namespace,
  digest: Digest,
  checkRoom: CheckRoom,
): Promise<boolean> {
  return await turns(digest, async () => {
    const sizeBytes = await folder.sizeOf(digest);
    if (sizeBytes === undefined) return false;
    await write(db, 'all', (transaction) => addBlob(transaction, namespace, { digest, sizeBytes }, checkRoom, now()));
    return true;
  });
}

async function addBlob(
  db: Database,
  namespace: Namespace,
  { digest, sizeBytes }: Omit<NewBlob, 'namespace'>,
  checkRoom: CheckRoom,
  now: number,
): Promise<void> {
  await provideNamespace(db, namespace, now);
  const blob = { namespace: namespace.name, digest, sizeBytes };
  await checkRoom(db, blob);
  await addPushedBlob(db, blob, now);
}

/**
 * Returns the size of a blob of the namespace. Undefined if the namespace does not have it, even if another one does. A
 * restored database may have rows without files, which clients push again.
 */
export async function blobSize(
  { db, folder, now }: Pick<PushedImages, 'db' | 'folder' | 'now'>,
  namespace: string,
  digest: Digest,
): Promise<number | undefined> {
  const sizeBytes = await retainPushedBlob(db, { namespace, digest }, now());
  return sizeBytes === undefined || (await folder.sizeOf(digest)) === undefined ? undefined : sizeBytes;
}

/** Shares a blob of one namespace with another one. Returns false if the first no longer has it. */
export async function shareBlob(
  { db, turns, now }: PushedImages,
  from: string,
  to: Namespace,
  digest: Digest,
  checkRoom: CheckRoom,
): Promise<boolean> {
  return await turns(digest, () =>
    write(db, 'all', async (transaction) => {
      const sizeBytes = await retainPushedBlob(transaction, { namespace: from, digest }, now());
      if (sizeBytes === undefined) return false;
      await addBlob(transaction, to, { digest, sizeBytes }, checkRoom, now());
      return true;
    }),
  );
}

/**
 * `named`: an image of the namespace contains it, so it stays. Its file is removed later, when no other namespace has
 * it.
 */
export async function forgetBlob(
  { db, turns }: PushedImages,
  namespace: string,
  digest: Digest,
): Promise<'removed' | 'named' | 'absent'> {
  return await turns(digest, () =>
    write(db, 'all', async (transaction) => {
      if (await removeUnnamedBlob(transaction, { namespace, digest })) return 'removed';
      return (await pushedBlobSizes(transaction, namespace, [digest])).has(digest) ? 'named' : 'absent';
    }),
  );
}

export type ManifestPush = {
  repository: string;
  namespace: Namespace;
  content: Uint8Array;
  declaredType: string | undefined;
  /** The tag or digest that it is pushed as. */
  reference: { kind: 'tag'; tag: string } | { kind: 'digest'; digest: Digest };
};

/** Refuses invalid manifests with `invalid_request`, and manifests with missing parts with `not_found`. */
export async function takeManifest(
  { db, folder, turns, now }: PushedImages,
  { repository, namespace, content, declaredType, reference }: ManifestPush,
): Promise<Result<{ digest: Digest }>> {
  const facts = readPushedManifest(content, declaredType);
  if (!facts.ok) return facts;
  const digest = digestOf(content);
  if (reference.kind === 'digest' && reference.digest !== digest)
    return refuse('invalid_request', `The manifest's digest is ${digest}, and it was pushed as ${reference.digest}.`);
  return await turns(digest, async () => {
    const staged = await stageFile(folder.stagingPath(randomUUID()));
    try {
      await staged.write(content);
      await folder.adopt(staged, { digest });
    } finally {
      // The file was committed, or cannot be used, for example on a full disk.
      await staged.discard();
    }
    return await write(db, 'all', async (transaction) => {
      await provideNamespace(transaction, namespace, now());
      const missing = await missingParts({ db: transaction, repository, namespace: namespace.name }, facts.value);
      if (missing) return missing;
      const manifest: PushedManifest = {
        repository,
        digest,
        namespace: namespace.name,
        mediaType: facts.value.mediaType,
        sizeBytes: content.length,
      };
      const parts = [
        ...facts.value.blobs.map((part) => ({ digest: part.digest, kind: 'blob' as const })),
        ...facts.value.manifests.map((part) => ({ digest: part.digest, kind: 'manifest' as const })),
      ];
      const tag = reference.kind === 'tag' ? reference.tag : undefined;
      await addPushedManifest(transaction, manifest, { parts, tag, now: now() });
      return succeed({ digest });
    });
  });
}

async function missingParts(
  { db, repository, namespace }: { db: PushedImages['db']; repository: string; namespace: string },
  { blobs, manifests }: ManifestFacts,
) {
  const sizes = await pushedBlobSizes(
    db,
    namespace,
    blobs.map(({ digest }) => digest),
  );
  for (const { digest, sizeBytes } of blobs) {
    const found = sizes.get(digest);
    if (found === undefined) return refuse('not_found', `The blob ${digest} was not pushed.`);
    if (found !== sizeBytes)
      return refuse('invalid_request', `The blob ${digest} has ${found} bytes, and the manifest says ${sizeBytes}.`);
  }
  const known = await knownManifests(
    db,
    repository,
    manifests.map(({ digest }) => digest),
  );
  const missing = manifests.find(({ digest }) => !known.has(digest));
  return missing && refuse('not_found', `The manifest ${missing.digest}, which the index names, was not pushed.`);
}

/** Reads pushed images through the interface of a remote registry, so that resolving and the gate treat both alike. */

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
    async request(method, path, { range }) {
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
