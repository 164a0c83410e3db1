/** A source as curl sends it. */
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

/** A tar file of these texts, compressed with gzip. */
export async function sourceArchive(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of Object.entries(files)) tar.entry({ name: `./${name}` }, content);
  tar.finalize();
  const pieces = (await Array.fromAsync(tar as AsyncIterable<Uint8Array>)) as Uint8Array[];
  return gzipSync(Buffer.concat(pieces));
}
