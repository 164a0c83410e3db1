/** PURE. Applies a delta of a pack to its base; https://git-scm.com/docs/gitformat-pack#_deltified_representation */

/** A damaged pack. */
export class PackError extends Error {}

/** The message is for the client. */
export class LargeObjectError extends PackError {
  constructor(maxBytes: number) {
    super(`A file of the repository is larger than ${maxBytes / 2 ** 20} MiB.`);
  }
}

/** Throws PackError for a damaged delta, and for a result with more than `maxBytes`. */
export function applyDelta(base: Buffer, delta: Buffer, maxBytes: number): Buffer {
  let at = 0;
  const byte = () => {
    const next = delta[at++];
    if (next === undefined) throw new PackError('a delta ends too early');
    return next;
  };
  const size = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const next = byte();
      value += (next & 0x7f) * scale;
      if (next < 128) return value;
      if (scale > 2 ** 40) throw new PackError('a delta has no usable size');
    }
  };
  /** The bytes of a number whose bits in `mask` are set. */
  const number = (mask: number, bytes: number) => {
    let value = 0;
    for (let index = 0; index < bytes; index++) if (mask & (1 << index)) value += byte() * 256 ** index;
    return value;
  };
  if (size() !== base.length) throw new PackError('a delta has another base');
  const resultBytes = size();
  if (resultBytes > maxBytes) throw new LargeObjectError(maxBytes);
  const result = Buffer.alloc(resultBytes);
  let written = 0;
  while (at < delta.length) {
    const command = byte();
    if (command === 0) throw new PackError('a delta has an unknown command');
    const isCopy = command >= 128;
    const from = isCopy ? number(command, 4) : at;
    const length = isCopy ? number(command >> 4, 3) || 0x10000 : command;
    const source = isCopy ? base : delta;
    if (from + length > source.length || written + length > resultBytes) throw new PackError('a delta goes too far');
    source.copy(result, written, from, from + length);
    written += length;
    if (!isCopy) at += length;
  }
  if (written !== resultBytes) throw new PackError('a delta is incomplete');
  return result;
}
