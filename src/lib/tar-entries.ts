/** Entries of a tar that is written while it is read, so that only pieces of an entry are in memory. */
import type { Header, Pack } from 'tar-stream';

export type TarHeader = Partial<Header> & { name: string };

export function addTarText(tar: Pack, header: TarHeader, content = ''): Promise<void> {
  return new Promise((resolve, reject) => {
    tar.entry(header, content, (error) => (error ? reject(error) : resolve()));
  });
}

/** Resolves with the bytes that were written, when all of `pieces` are, or the tar is destroyed. */
export async function addTarPieces(
  tar: Pack,
  header: TarHeader & { size: number },
  pieces: AsyncIterable<Uint8Array>,
): Promise<number> {
  const sink = tar.entry(header);
  // The tar itself reports its errors.
  sink.on('error', () => {});
  const ended = new Promise<void>((resolve) => sink.once('close', () => resolve()));
  let written = 0;
  for await (const piece of pieces) {
    written += piece.length;
    if (!sink.write(piece))
      await Promise.race([new Promise<void>((resolve) => sink.once('drain', () => resolve())), ended]);
    if (tar.destroyed) return written;
  }
  if (written !== header.size) return written;
  sink.end(undefined);
  await ended;
  return written;
}
