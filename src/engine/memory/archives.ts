/** The facet `archives` of the in-memory engine: a tar of what is in volumes now. */
import { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import type { ArchivedVolumes, VolumeArchive } from '../volume-facets.ts';
import { volumeKey } from './deployment-map.ts';
import type { MemoryWorld } from './world.ts';

export async function archiveVolumes(
  { volumes }: MemoryWorld,
  owner: string,
  deploymentId: string,
  wanted: readonly string[],
): Promise<ArchivedVolumes> {
  const archives: VolumeArchive[] = [];
  for (const volume of wanted) {
    const found = volumes.get(volumeKey(deploymentId, volume));
    if (found?.owner !== owner) continue;
    const content = await tarOf(found.files);
    const read = () => Readable.from([content], { objectMode: false });
    archives.push({ volume, below: '', sizeBytes: content.length, read });
  }
  return { pausedMs: 0, archives, [Symbol.asyncDispose]: async () => {} };
}

async function tarOf(files: ReadonlyMap<string, string>): Promise<Buffer> {
  const tar = pack();
  tar.entry({ name: './', type: 'directory' });
  for (const [path, content] of files) tar.entry({ name: `./${path}` }, content);
  tar.finalize();
  return Buffer.concat(await Array.fromAsync(tar as AsyncIterable<Uint8Array>));
}
