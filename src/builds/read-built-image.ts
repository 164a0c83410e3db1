/** Reads what a builder sends of an image, in OCI layout. The builder may be hostile: every digest is computed here. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Extract, extract } from 'tar-stream';
import { isManifestFault, readManifest } from '../images/manifests/manifest.ts';
import type { ExportedImage, ExportedLayer } from '../push/docker/exported-image.ts';
import { type HashedFile, writeHashed } from '../push/hashed-file.ts';
import { BuildFault } from './build-fault.ts';

const most = { documentBytes: 4 * 2 ** 20, files: 1_000 };

/**
 * Writes the new layers into `folder`. `baseLayer`: returns a layer of the base images by the digest of its plain tar. Throws
 * BuildFault.
 */
export async function readBuiltImage(
  built: Readable,
  folder: string,
  baseLayer: (diffId: string) => Promise<ExportedLayer | undefined>,
): Promise<ExportedImage> {
  const tar = extract();
  // Both must be awaited together: if the stream breaks, each of them fails.
  const [, files] = await Promise.all([pipeline(built, tar), takeFiles(tar, folder)]);
  const config = await readDocument(files.get('config.json'));
  const layers: ExportedLayer[] = [];
  for (const digest of await layersOf(files)) {
    const file = files.get(nameOf(digest));
    // Docker checks that the unpacked layer matches the configuration.
    if (file && file.digest !== digest) throw incomplete();
    const layer = file ? { ...file, compression: 'gzip' as const } : await baseLayer(digest);
    if (!layer) throw incomplete();
    layers.push(layer);
  }
  return { config, layers };
}

/** Returns the files by name. Empty files stand for layers of base images and are skipped. */
async function takeFiles(tar: Extract, folder: string): Promise<Map<string, HashedFile>> {
  const files = new Map<string, HashedFile>();
  for await (const entry of tar) {
    const { name, type, size = 0 } = entry.header;
    if (type !== 'file' || size === 0) entry.resume();
    else if (files.size >= most.files) throw new BuildFault('The image has too many layers.');
    else files.set(name, await writeHashed(join(folder, `part-${files.size}`), entry as unknown as Readable));
  }
  return files;
}

/** The digests of the layers, from the lowest one on. */
async function layersOf(files: ReadonlyMap<string, HashedFile>): Promise<string[]> {
  const index = readManifest(await readDocument(files.get('index.json')), 'application/vnd.oci.image.index.v1+json');
  if (isManifestFault(index) || index.kind !== 'index' || index.entries.length !== 1) throw incomplete();
  const { digest, mediaType } = index.entries[0]!.descriptor;
  const manifest = readManifest(await readDocument(files.get(nameOf(digest))), mediaType);
  if (isManifestFault(manifest) || manifest.kind !== 'image') throw incomplete();
  return manifest.layers.map((layer) => layer.digest);
}

function nameOf(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}

async function readDocument(found: HashedFile | undefined): Promise<Buffer> {
  if (!found || found.sizeBytes > most.documentBytes) throw incomplete();
  return await readFile(found.file);
}

function incomplete(): BuildFault {
  return new BuildFault('The builder did not return a complete image.');
}
