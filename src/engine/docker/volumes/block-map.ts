/** PURE. Which blocks of a file are to be copied, in a bit for each: whoever writes however much, it takes no more memory. */

/** Bytes of a file, from `start` to before `end`. */
export type ByteRange = { start: number; end: number };

export type BlockMap = {
  /** All blocks of which a part is in it. Throws RangeError for what is beyond the file. */
  add(range: ByteRange): void;
  /** All that were added since the last call, in order; what adjoins is one. */
  take(): ByteRange[];
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
      return rangesIn(taken, count).map(({ start, end }) => ({ start, end: Math.min(end, fileBytes) }));
    },
  };
}

function rangesIn(bits: Uint8Array, count: number): ByteRange[] {
  const ranges: ByteRange[] = [];
  for (let block = 0; block < count; block++) {
    // Most of a large file is not in it.
    if (bits[block >> 3] === 0) block |= 7;
    else if (bits[block >> 3]! & (1 << (block & 7))) {
      const start = block * blockBytes;
      const last = ranges.at(-1);
      if (last?.end === start) last.end += blockBytes;
      else ranges.push({ start, end: start + blockBytes });
    }
  }
  return ranges;
}

export function bytesOf(ranges: readonly ByteRange[]): number {
  return ranges.reduce((sum, { start, end }) => sum + end - start, 0);
}
