/** Reads responses of untrusted servers with limits on bytes and on time. */
import type { Readable } from 'node:stream';
import { DialFault } from './dial-fault.ts';

/** The whole of a document. Throws DialFault when it is longer. */
export async function readWhole(body: Readable, maxBytes: number, host: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) throw new DialFault('too-long', host);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof DialFault ? error : new DialFault('unreachable', host, { cause: error });
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks, length);
}

export type Pace = {
  /** The maximum wait without data. */
  patienceMs: number;
  /** This many bytes regain a second of patience, up to the initial one. Time without a reader does not count. */
  minBytesPerSecond: number;
};

/** A slow connection sends a hundred times as much. A slower one occupies one of the engine's few download slots. */
export const usualPace: Pace = { patienceMs: 30_000, minBytesPerSecond: 8_192 };

/** Yields the chunks of a long body as they arrive. Throws DialFault if they arrive too slowly. */
export async function* readAtPace(body: Readable, host: string, pace: Pace = usualPace): AsyncIterable<Buffer> {
  const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let leftMs = pace.patienceMs;
  try {
    for (;;) {
      const begunAt = performance.now();
      const next = await nextWithin(chunks, Math.max(0, leftMs), host, body);
      leftMs -= performance.now() - begunAt;
      if (next.done) return;
      leftMs = Math.min(pace.patienceMs, leftMs + (next.value.length / pace.minBytesPerSecond) * 1000);
      yield next.value;
    }
  } finally {
    body.destroy();
  }
}

async function nextWithin(chunks: AsyncIterator<Buffer>, ms: number, host: string, body: Readable) {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DialFault('too-slow', host)), ms);
  const next = chunks.next();
  next.catch(() => {});
  try {
    return await Promise.race([next, late]);
  } catch (error) {
    body.destroy();
    throw error instanceof DialFault ? error : new DialFault('unreachable', host, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
