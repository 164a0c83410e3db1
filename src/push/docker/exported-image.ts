/**
 * Splits an image of the local Docker into files while `docker save` streams it. Supports the formats of old and new
 * engines.
 */
import { open, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Extract, extract } from 'tar-stream';
import { type HashedFile, writeHashed } from '../hashed-file.ts';
import { PushFault } from '../push-fault.ts';
import type { Docker } from './docker-command.ts';

export type ExportedLayer = HashedFile & {
  /** The compression in the file. Older engines use plain tars. */
  compression: 'none' | 'gzip' | 'zstd';
};

export type ExportedImage = {
  /** The settings, byte for byte. */
  config: Buffer;
  /** From the lowest to the highest. */
  layers: ExportedLayer[];
};

type Part = { kind: 'file'; layer: ExportedLayer } | { kind: 'link'; target: string };

/** Exports an image. `folder`: contains the layers, and is removed by the caller. */
export async function exportImage(docker: Docker, id: string, folder: string): Promise<ExportedImage> {
  let exported: ExportedImage | undefined;
  const { status, lines } = await docker.run(['save', id], {
    output: async (stdout) => {
      exported = await readSavedImage(stdout, folder);
    },
  });
  if (status !== 0) throw new PushFault(`docker save has failed: ${lines.at(-1) ?? `status ${status}`}`);
  return exported!;
}

/** Reads a tar in the format of `docker save` with one image. Its layers become files in `folder`. */
export async function readSavedImage(saved: Readable, folder: string): Promise<ExportedImage> {
  const parts = new Map<string, Part>();
  const tar = extract();
  // Both must be awaited together, because a broken stream makes each of them fail, in any order.
  await Promise.all([pipeline(saved, tar), takeParts(tar, { parts, folder })]);
  return await assemble(parts);
}

async function takeParts(tar: Extract, { parts, folder }: { parts: Map<string, Part>; folder: string }): Promise<void> {
  for await (const entry of tar) {
    const { name, type, linkname } = entry.header;
    const path = posix.normalize(name);
    if (type === 'symlink' || type === 'link') {
      const target = type === 'link' ? linkname! : posix.join(posix.dirname(path), linkname!);
      parts.set(path, { kind: 'link', target: posix.normalize(target) });
      entry.resume();
    } else if (type !== 'file') entry.resume();
    else {
      // The list of layers comes last.
      const written = await writeHashed(join(folder, `part-${parts.size}`), entry as unknown as Readable);
      parts.set(path, { kind: 'file', layer: { ...written, compression: await compressionOf(written.file) } });
    }
  }
}

async function assemble(parts: Map<string, Part>): Promise<ExportedImage> {
  const [image] = JSON.parse(await readFile(fileAt(parts, 'manifest.json').file, 'utf8')) as {
    Config: string;
    Layers: string[] | null;
  }[];
  if (!image) throw new PushFault('docker save has written no image.');
  const config = await readFile(fileAt(parts, posix.normalize(image.Config)).file);
  return { config, layers: (image.Layers ?? []).map((path) => fileAt(parts, posix.normalize(path))) };
}

function fileAt(parts: Map<string, Part>, path: string): ExportedLayer {
  // The same layer twice is a link the second time.
  const part = parts.get(path);
  const found = part?.kind === 'link' ? parts.get(part.target) : part;
  if (found?.kind !== 'file') throw new PushFault(`docker save has not written ${path}.`);
  return found.layer;
}

async function compressionOf(file: string): Promise<ExportedLayer['compression']> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    if (buffer.readUInt16BE(0) === 0x1f8b) return 'gzip';
    return buffer.readUInt32LE(0) === 0xfd2fb528 ? 'zstd' : 'none';
  } finally {
    await handle.close();
  }
}
