/**
 * The objects of a pack that a Git server has sent; https://git-scm.com/docs/gitformat-pack. Runs in a thread with limited
 * memory and processor time. The pack may be hostile: an object is as large as its header says, and at most `maxBytes`.
 */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type Inflate, inflateSync } from 'node:zlib';
import { SourceError } from '../source-entry.ts';
import { applyDelta, LargeObjectError, PackError } from './apply-delta.ts';

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';
export type GitObject = { type: ObjectType; content: Buffer };

export type PackFile = Disposable & {
  /** Returns an object by its hash. Throws PackError if the object is missing or has another type. */
  read(hash: string, type: ObjectType): Buffer;
  typeOf(hash: string): ObjectType;
};

export type PackLimits = { maxObjects: number; maxBytes: number };

type Entry = { size: number; from: number } & (
  | { kind: 'whole'; type: ObjectType }
  | { kind: 'delta'; base: number | string }
);

const types: Record<number, ObjectType> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
const offsetDelta = 6;
const hashDelta = 7;

const headBytes = 12;
const trailerBytes = 20;
/** Git itself writes chains of at most 50. */
const longestChain = 500;
const cacheBytes = 64 * 2 ** 20;
const windowBytes = 2 ** 20;

/** Reads every object once. Throws PackError, and SourceError for too many objects. */
export function openPackFile(file: string, { maxObjects, maxBytes }: PackLimits): PackFile {
  const pack = openWindow(file);
  const entries = new Map<number, Entry>();
  /** Where each object is, by its hash. */
  const places = new Map<string, { at: number; type: ObjectType }>();
  const cache = createCache();
  try {
    readEntries();
    hashEntries();
  } catch (error) {
    pack.close();
    throw error;
  }

  function readEntries(): void {
    const head = pack.read(0, headBytes);
    const count = head.length === headBytes ? head.readUInt32BE(8) : 0;
    if (head.toString('latin1', 0, 4) !== 'PACK' || head.readUInt32BE(4) !== 2) throw new PackError('not a pack');
    if (count > maxObjects)
      throw new SourceError(`The repository has more than ${maxObjects} objects.`, { isTooLarge: true });
    let at = headBytes;
    for (let read = 0; read < count; read++) {
      const { entry, bytes } = readEntry(at);
      entries.set(at, entry);
      const { content, end } = inflate(entry);
      if (entry.kind === 'whole') place(at, { type: entry.type, content });
      at += bytes + end;
    }
  }

  function readEntry(at: number): { entry: Entry; bytes: number } {
    const head = pack.read(at, 64);
    let read = 0;
    const byte = () => {
      const next = head[read++];
      if (next === undefined) throw new PackError('the pack ends too early');
      return next;
    };
    const first = byte();
    const type = (first >> 4) & 7;
    let size = first & 15;
    for (let next = first, scale = 16; next >= 128; scale *= 128) {
      next = byte();
      size += (next & 0x7f) * scale;
      if (scale > 2 ** 40) throw new PackError('an object has no usable size');
    }
    if (size > maxBytes) throw new LargeObjectError(maxBytes);
    const whole = types[type];
    if (whole) return { entry: { kind: 'whole', type: whole, size, from: at + read }, bytes: read };
    let base: number | string;
    if (type === hashDelta) {
      base = head.toString('hex', read, read + 20);
      read += 20;
    } else if (type === offsetDelta) {
      let next = byte();
      let distance = next & 0x7f;
      while (next >= 128) {
        next = byte();
        distance = (distance + 1) * 128 + (next & 0x7f);
        if (distance > at) throw new PackError('a delta has no base');
      }
      base = at - distance;
    } else {
      throw new PackError('an object has an unknown type');
    }
    return { entry: { kind: 'delta', base, size, from: at + read }, bytes: read };
  }

  /** `end`: how many bytes the compressed content has. */
  function inflate({ size, from }: Entry): { content: Buffer; end: number } {
    const options = { info: true, maxOutputLength: Math.max(1, size), chunkSize: Math.max(64, size + 64) };
    let inflated: { buffer: Buffer; engine: Inflate };
    try {
      inflated = inflateSync(pack.read(from, compressedBound(size)), options) as unknown as typeof inflated;
    } catch (error) {
      throw new PackError('an object is damaged', { cause: error });
    }
    if (inflated.buffer.length !== size) throw new PackError('an object has another size');
    return { content: inflated.buffer, end: inflated.engine.bytesWritten };
  }

  function place(at: number, { type, content }: GitObject): void {
    const hash = createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');
    places.set(hash, { at, type });
  }

  /** A base may come after its delta, and may be a delta itself. */
  function hashEntries(): void {
    let left = [...entries].flatMap(([at, { kind }]) => (kind === 'delta' ? [at] : []));
    while (left.length > 0) {
      const later = left.filter((at) => {
        const object = resolve(at);
        if (object) place(at, object);
        return !object;
      });
      if (later.length === left.length) throw new PackError('a delta has no base');
      left = later;
    }
  }

  /** Undefined if the hash of a base is not known yet. */
  function resolve(at: number): GitObject | undefined {
    const deltas: Entry[] = [];
    let next = at;
    let object = cache.get(next);
    while (!object) {
      const entry = entries.get(next);
      if (!entry || deltas.length > longestChain) throw new PackError('a delta has no base');
      if (entry.kind === 'whole') {
        object = { type: entry.type, content: inflate(entry).content };
        cache.add(next, object);
      } else {
        deltas.push(entry);
        const base = typeof entry.base === 'number' ? entry.base : places.get(entry.base)?.at;
        if (base === undefined) return undefined;
        next = base;
        object = cache.get(next);
      }
    }
    for (const delta of deltas.reverse())
      object = { type: object.type, content: applyDelta(object.content, inflate(delta).content, maxBytes) };
    if (deltas.length > 0) cache.add(at, object);
    return object;
  }

  const placeOf = (hash: string) => {
    const found = places.get(hash);
    if (!found) throw new PackError('an object is missing');
    return found;
  };

  return {
    typeOf: (hash) => placeOf(hash).type,
    read(hash, type) {
      const object = resolve(placeOf(hash).at);
      if (object?.type !== type) throw new PackError('an object has another type');
      return object.content;
    },
    [Symbol.dispose]: () => pack.close(),
  };
}

/** zlib adds five bytes to each 16 KiB that it cannot compress. */
function compressedBound(size: number): number {
  return size + Math.ceil(size / 1_000) + 1_024;
}

/** Reads parts of a file, usually in sequence. The trailer of a pack is left out. */
function openWindow(file: string) {
  const handle = openSync(file, 'r');
  const end = Math.max(0, fstatSync(handle).size - trailerBytes);
  let window = Buffer.alloc(0);
  let begin = 0;
  return {
    /** Fewer bytes at the end of the file. */
    read(at: number, length: number): Buffer {
      const wanted = Math.max(0, Math.min(length, end - at));
      if (at < begin || at + wanted > begin + window.length) {
        const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(Math.max(wanted, windowBytes), end - at)));
        window = buffer.subarray(0, readSync(handle, buffer, 0, buffer.length, at));
        begin = at;
      }
      return window.subarray(at - begin, at - begin + wanted);
    },
    close: () => closeSync(handle),
  };
}

/** Caches the most recently added bases of deltas. */
function createCache() {
  const kept = new Map<number, GitObject>();
  let bytes = 0;
  return {
    get: (at: number) => kept.get(at),
    add(at: number, object: GitObject) {
      if (object.content.length > cacheBytes / 4 || kept.has(at)) return;
      kept.set(at, object);
      bytes += object.content.length;
      for (const [oldest, { content }] of kept) {
        if (bytes <= cacheBytes) break;
        kept.delete(oldest);
        bytes -= content.length;
      }
    },
  };
}
