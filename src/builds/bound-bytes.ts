/** A limit for a stream whose sender may be hostile. */
import { Transform } from 'node:stream';
import { SourceError } from './source-entry.ts';

/** Passes at most `maxBytes`, and then fails with a SourceError that says `message`. */
export function boundBytes(maxBytes: number, message: string): Transform {
  let bytes = 0;
  return new Transform({
    transform(piece: Buffer, _, done) {
      bytes += piece.length;
      if (bytes <= maxBytes) done(undefined, piece);
      else done(new SourceError(message, { isTooLarge: true }));
    },
  });
}
