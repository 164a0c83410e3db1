/** PURE. Which blocks of a file are to be copied, in a bit for each: whoever writes however much, it takes no more memory. */

/** Bytes of a file, from `start` to before `end`. */
export type ByteRange = { start: number; end: number };

export type BlockMap = {
  /** All blocks of which a part is in it. Throws RangeError for what is beyond the file. */
  add(range: ByteRange): void;
  /** All that were added since the last call, in order; what adjoins is one. Found anew each time that it is asked for. */
  take(): Iterable<ByteRange>;
};

/** What file systems of volumes are made of. */
export const blockBytes = 4096;

export function createBlockMap(fileBytes: number): BlockMap {
  const count = Math.ceil(fileBytes / blockBytes);
  let bits = new Uint8Array(Math.ceil(count / 8));
  return {
    add({ start, end }) {
      if (start < 0 || end > fileBytes) throw new RangeError(`${start} to ${end} of ${fileBytes} bytes`);
      for (let block = Math.floor(start / blockBytes); block * blockBytes < end; block++)
        bits[block >> 3]! |= 1 << (block & 7);
    },
    take() {
      const taken = bits;
      bits = new Uint8Array(taken.length);
      return { [Symbol.iterator]: () => rangesIn(taken, fileBytes) };
    },
  };
}

function* rangesIn(bits: Uint8Array, fileBytes: number): Generator<ByteRange> {
  const count = Math.ceil(fileBytes / blockBytes);
  for (let block = 0; block < count; block++) {
    // Most of a large file is not in it.
    if (bits[block >> 3] === 0) block |= 7;
    else if (has(bits, block)) {
      const start = block * blockBytes;
      while (block + 1 < count && has(bits, block + 1)) block++;
      yield { start, end: Math.min((block + 1) * blockBytes, fileBytes) };
    }
  }
}

function has(bits: Uint8Array, block: number): boolean {
  return (bits[block >> 3]! & (1 << (block & 7))) !== 0;
}

export function bytesOf(ranges: Iterable<ByteRange>): number {
  let bytes = 0;
  for (const { start, end } of ranges) bytes += end - start;
  return bytes;
}
