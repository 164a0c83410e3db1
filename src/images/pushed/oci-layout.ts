/**
 * Pushed images as a folder for other tools: an OCI image layout, with the list for `docker load` next to its index.
 */
import { arch } from 'node:process';
import type { Digest } from '../../lib/digest.ts';
import type { BlobFolder } from '../blobs/blob-folder.ts';
import {
  isAttestation,
  isManifestFault,
  type Manifest,
  type Platform,
  parseObject,
  readManifest,
} from '../manifests/manifest.ts';
import { choosePlatform } from '../resolve/image-config.ts';

/** `name`: as it is called where it is loaded: `shop-web:1`. */
export type WantedImage = { name: string; digest: Digest };

export type OciLayout = {
  /** Paths relative to the folder. */
  documents: { path: string; content: string }[];
  blobs: { digest: Digest; sizeBytes: number }[];
  /** Images with missing blobs. */
  missing: WantedImage[];
};

const thisPlatform: Platform = { os: 'linux', architecture: arch === 'x64' ? 'amd64' : arch };

type Found = { mediaType: string; sizeBytes: number; manifest: Manifest };

export async function describeLayout(folder: BlobFolder, images: readonly WantedImage[]): Promise<OciLayout> {
  const blobs = new Map<Digest, number>();
  const manifests: object[] = [];
  const loads: object[] = [];
  const missing: WantedImage[] = [];
  for (const image of images) {
    const parts = new Map<Digest, number>();
    const found = await collect(folder, image.digest, parts);
    const runs = found && (await imageToRun(folder, found.manifest));
    if (!found || !runs) {
      missing.push(image);
      continue;
    }
    for (const [digest, sizeBytes] of parts) blobs.set(digest, sizeBytes);
    const { mediaType, sizeBytes: size } = found;
    const annotations = { 'org.opencontainers.image.ref.name': image.name };
    manifests.push({ mediaType, digest: image.digest, size, annotations });
    loads.push({
      Config: blobPath(runs.config.digest),
      RepoTags: [image.name],
      Layers: runs.layers.map(({ digest }) => blobPath(digest)),
    });
  }
  const index = { schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests };
  const documents = [
    { path: 'oci-layout', content: `${JSON.stringify({ imageLayoutVersion: '1.0.0' })}\n` },
    { path: 'index.json', content: `${JSON.stringify(index)}\n` },
    { path: 'manifest.json', content: `${JSON.stringify(loads)}\n` },
  ];
  return {
    documents: manifests.length > 0 ? documents : [],
    blobs: [...blobs].map(([digest, sizeBytes]) => ({ digest, sizeBytes })),
    missing,
  };
}

export function blobPath(digest: Digest): string {
  return `blobs/${digest.replace(':', '/')}`;
}

/** Collects a manifest with everything below it in `parts`. Undefined if a part is missing. */
async function collect(folder: BlobFolder, digest: Digest, parts: Map<Digest, number>): Promise<Found | undefined> {
  const found = await readFound(folder, digest);
  if (!found) return undefined;
  parts.set(digest, found.sizeBytes);
  const { manifest } = found;
  if (manifest.kind === 'index') {
    for (const { descriptor } of manifest.entries)
      if (!(await collect(folder, descriptor.digest, parts))) return undefined;
    return found;
  }
  for (const { digest, sizeBytes } of [manifest.config, ...manifest.layers]) {
    if ((await folder.sizeOf(digest)) !== sizeBytes) return undefined;
    parts.set(digest, sizeBytes);
  }
  return found;
}

async function readFound(folder: BlobFolder, digest: Digest): Promise<Found | undefined> {
  const blob = await folder.read(digest);
  if (!blob) return undefined;
  const content = Buffer.concat(await Array.fromAsync(blob.stream as AsyncIterable<Uint8Array>));
  const { mediaType } = (parseObject(content) ?? {}) as { mediaType?: string };
  const manifest = readManifest(content, mediaType);
  return isManifestFault(manifest) ? undefined : { manifest, mediaType: manifest.mediaType, sizeBytes: content.length };
}

/** Returns the image for this machine from an index of several. */
async function imageToRun(folder: BlobFolder, manifest: Manifest) {
  if (manifest.kind === 'image') return manifest;
  const entries = manifest.entries.filter(({ descriptor }) => !isAttestation(descriptor));
  const entry = choosePlatform(entries, thisPlatform) ?? entries[0];
  const found = entry && (await readFound(folder, entry.descriptor.digest));
  return found?.manifest.kind === 'image' ? found.manifest : undefined;
}
