/** The contents of a tar in memory. */
import { Readable } from 'node:stream';
import { extract } from 'tar-stream';

/** Files alone, by name. */
export async function filesOfTar(content: Uint8Array): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for await (const entry of Readable.from([content], { objectMode: false }).pipe(extract())) {
    const pieces = (await Array.fromAsync(entry as AsyncIterable<Uint8Array>)) as Uint8Array[];
    if (entry.header.type === 'file') files.set(entry.header.name, Buffer.concat(pieces));
  }
  return files;
}
