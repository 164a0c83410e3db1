/** A stream of the service that goes on when its connection breaks. */

import { createParser } from 'eventsource-parser';
import { createBackoff } from '../lib/backoff.ts';
import { type Answer, type Problem, problemOf } from './request.ts';

const pauses = { firstMs: 500, longestMs: 15_000 };

export type Following = {
  token?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Called when the connection is lost, before a retry. */
  onBroken?: () => void;
};

/**
 * Yields the messages of one connection after another. `open` makes the next connection. Returns the problem, if the
 * service refuses.
 */
export async function* follow(
  { signal, onBroken }: Following,
  open: () => Promise<Answer<Response>>,
): AsyncGenerator<Message, Problem | undefined> {
  const backoff = createBackoff(pauses);
  while (!signal?.aborted) {
    const answer = await open();
    const refusal = await refusalOf(answer);
    if (refusal && !isPassing(refusal)) return refusal;
    try {
      for await (const messages of refusal ? [] : messagesOf((answer as { value: Response }).value.body!)) {
        backoff.reset();
        yield* messages;
      }
    } catch {
      // The connection broke, or was closed from here.
    }
    if (signal?.aborted) return undefined;
    onBroken?.();
    await pause(refusal?.retryAfterSeconds ? refusal.retryAfterSeconds * 1000 : backoff.next(), signal);
  }
  return undefined;
}

async function refusalOf(answer: Answer<Response>): Promise<Problem | undefined> {
  if (!answer.ok) return answer.problem;
  const { status } = answer.value;
  return status < 400 ? undefined : problemOf(answer.value, await answer.value.json().catch(() => undefined));
}

/** Whether to reconnect: after too many requests, or an error or restart of the service. */
export function isPassing({ status }: Problem): boolean {
  return status === 0 || status === 429 || status >= 500;
}

/** Ends early, without an error, when the signal aborts. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
    if (signal?.aborted) done();
  });
}

/** Server-sent events, read from a response. (`EventSource` cannot send an Authorization header.) */

export type Message = { id?: string; event: string; data: string };

/** Accepts the text in any pieces and returns the complete messages. */
export function createMessageReader(): (piece: string) => Message[] {
  const complete: Message[] = [];
  const parser = createParser({
    onEvent: ({ id, event = 'message', data }) => complete.push({ event, data, ...(id !== undefined && { id }) }),
  });
  return (piece) => {
    parser.feed(piece);
    return complete.splice(0);
  };
}

/**
 * Yields the messages in batches as they arrive. A keep-alive yields an empty batch. Throws if the connection breaks.
 */
export async function* messagesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Message[]> {
  const read = createMessageReader();
  // Uses a reader because some browsers cannot iterate over streams yet.
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield read(piece.value);
  } finally {
    // A reader that stops early closes the connection.
    await reader.cancel().catch(() => undefined);
  }
}
