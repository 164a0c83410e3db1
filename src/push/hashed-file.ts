/** Writes a stream to a file, and returns its digest. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export type HashedFile = { file: string; digest: string; sizeBytes: number };

/** `through`: a stream that the data passes before it is hashed and written. */
export async function writeHashed(file: string, source: Readable, through?: Transform): Promise<HashedFile> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const counted = new Transform({
    transform(piece: Buffer, _encoding, done) {
      hash.update(piece);
      sizeBytes += piece.length;
      done(undefined, piece);
    },
  });
  const written = createWriteStream(file, { mode: 0o600 });
  await (through ? pipeline(source, through, counted, written) : pipeline(source, counted, written));
  return { file, sizeBytes, digest: `sha256:${hash.digest('hex')}` };
}
