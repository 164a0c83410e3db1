/** The layers of an image as they are sent: those of the local Docker compressed, and folders on top of them. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { type Extract, extract } from 'tar-stream';
import type { FolderLayer } from '../folder/project.ts';
import { type BasePaths, recordEntry } from '../lib/image-paths.ts';
import type { ExportedImage, ExportedLayer } from './docker/exported-image.ts';
import { type HashedFile, writeHashed } from './hashed-file.ts';
import { type AddedLayer, type Descriptor, layerType } from './image-documents.ts';
import { layerEntries, packArchive } from './layers/folder-layer.ts';
import { type Entry, packEntries } from './layers/folder-listing.ts';
import type { PushCache } from './push-cache.ts';
import { PushFault } from './push-fault.ts';
import type { RegistryClient } from './registry/push-client.ts';

export type Preparing = { registry: RegistryClient; repository: string; cache: PushCache; scratch: string };

/** `blob`: present if the service does not have it yet. */
export type Prepared = { descriptor: Descriptor; blob?: HashedFile };

export async function prepareExported(preparing: Preparing, { layers }: ExportedImage): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  for (const layer of layers) {
    const { digest, sizeBytes, compression, file } = layer;
    if (compression === 'none') prepared.push(await prepareTar(preparing, layer));
    else {
      const descriptor = { mediaType: layerType(compression), digest, size: sizeBytes };
      prepared.push(await withMissing(preparing, descriptor, file));
    }
  }
  return prepared;
}

/** A tar is sent compressed. If the service has it under a known digest, it is not even compressed. */
async function prepareTar(
  preparing: Preparing,
  { file, digest: diffId }: Pick<HashedFile, 'file' | 'digest'>,
): Promise<Prepared> {
  const { registry, repository, cache } = preparing;
  const known = cache.layers.get(diffId);
  if (known && (await registry.hasBlob(repository, known.digest))) return { descriptor: known };
  const packed = await compress(file, `${file}.gz`);
  const descriptor = { mediaType: layerType('gzip'), digest: packed.digest, size: packed.sizeBytes };
  cache.layers.delete(diffId);
  cache.layers.set(diffId, descriptor);
  return await withMissing(preparing, descriptor, packed.file);
}

async function withMissing(
  { registry, repository }: Preparing,
  descriptor: Descriptor,
  file: string,
): Promise<Prepared> {
  const { digest, size: sizeBytes } = descriptor;
  if (await registry.hasBlob(repository, digest)) return { descriptor };
  return { descriptor, blob: { file, digest, sizeBytes } };
}

type Upper = { exported: ExportedImage; layers: readonly FolderLayer[]; listed: readonly Entry[][] };

/** Makes each folder a separate layer, so that the next push only sends changed ones. */
export async function prepareLayers(preparing: Preparing, upper: Upper) {
  const { files, added } = await writeLayers(preparing.scratch, upper);
  const prepared: Prepared[] = [];
  for (const file of files) prepared.push(await prepareTar(preparing, file));
  return { prepared, added };
}

/** Writes each folder as a tar into `scratch`. */
export async function writeLayers(
  scratch: string,
  { exported, layers, listed }: Upper,
): Promise<{ files: HashedFile[]; added: AddedLayer[] }> {
  const files: HashedFile[] = [];
  const added: AddedLayer[] = [];
  if (layers.length === 0) return { files, added };
  const paths = await pathsOf(exported.layers);
  for (const [index, layer] of layers.entries()) {
    const file = join(scratch, `layer-${index}.tar`);
    const tar =
      layer.kind === 'archive' ? packArchive(layer, paths) : packEntries(layerEntries(layer, listed[index]!, paths));
    const made = await writeHashed(file, tar);
    files.push(made);
    added.push({ diffId: made.digest, createdBy: `COPY ${layer.to}` });
  }
  return { files, added };
}

/** The paths in the base image of the layers. */
async function pathsOf(layers: readonly ExportedLayer[]): Promise<BasePaths> {
  const paths: BasePaths = new Map();
  for (const { file, compression } of layers) {
    if (compression === 'zstd')
      throw new PushFault('The base image has layers compressed with zstd, onto which no folder can be put.', {
        hint: 'Build it from a Dockerfile with a COPY instead.',
      });
    const tar = extract();
    const source = createReadStream(file, { highWaterMark: 1024 * 1024 });
    const reading = compression === 'gzip' ? pipeline(source, createGunzip(), tar) : pipeline(source, tar);
    // Both must be awaited together, because a broken stream makes each of them fail, in any order.
    await Promise.all([reading, recordEntries(tar, paths)]);
  }
  return paths;
}

async function recordEntries(tar: Extract, paths: BasePaths): Promise<void> {
  for await (const entry of tar) {
    const { name, type, mode = 0o755, uid = 0, gid = 0, linkname } = entry.header;
    recordEntry(paths, { name, type: type ?? 'file', mode, uid, gid, target: linkname ?? '' });
    entry.resume();
  }
}

async function compress(from: string, file: string) {
  // Node writes no name and no time into the header, so that the same tar gives the same blob.
  return await writeHashed(file, createReadStream(from), createGzip({ level: 6 }));
}
