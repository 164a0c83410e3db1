/** PURE. The packets of Git's protocols: four hexadecimal digits with the length, then the content. */

/** https://git-scm.com/docs/protocol-common#_pkt_line_format */
const maxPacketBytes = 65_520;

export class PacketError extends Error {}

export const flush = '0000';

export function packet(text: string): string {
  return (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text;
}

/** The packets in `pieces`; undefined for a flush. Throws PacketError for damaged ones. */
export async function* readPackets(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Buffer | undefined> {
  let rest = Buffer.alloc(0);
  for await (const piece of pieces) {
    rest = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece]);
    let at = 0;
    while (rest.length - at >= 4) {
      const length = lengthOf(rest.toString('latin1', at, at + 4));
      if (length === 0) {
        at += 4;
        yield undefined;
      } else if (rest.length - at < length) {
        break;
      } else {
        yield rest.subarray(at + 4, at + length);
        at += length;
      }
    }
    rest = rest.subarray(at);
  }
  if (rest.length > 0) throw new PacketError('the last packet is incomplete');
}

/**
 * The packets up to the first flush, and the bytes after it. Throws PacketError for damaged packets, more than `maxBytes`
 * before the flush, and a missing flush.
 */
export async function readLeadingPackets(
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ packets: Buffer[]; rest: AsyncIterable<Buffer> }> {
  const iterator = pieces[Symbol.asyncIterator]();
  const packets: Buffer[] = [];
  let read = Buffer.alloc(0);
  let left = maxBytes;
  for (;;) {
    const length = read.length < 4 ? undefined : lengthOf(read.toString('latin1', 0, 4));
    if (length === 0) break;
    if (length !== undefined && read.length >= length) {
      left -= length;
      if (left < 0) throw new PacketError('too many packets');
      packets.push(read.subarray(4, length));
      read = read.subarray(length);
      continue;
    }
    const next = await iterator.next();
    if (next.done) throw new PacketError('the end of the packets is missing');
    read = Buffer.concat([read, next.value]);
  }
  const begun = read.subarray(4);
  async function* rest() {
    if (begun.length > 0) yield begun;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield Buffer.from(next.value);
  }
  return { packets, rest: rest() };
}

function lengthOf(digits: string): number {
  const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1;
  if (length !== 0 && (length < 4 || length > maxPacketBytes)) throw new PacketError('not a packet');
  return length;
}
