/** Server-sent events, read from a response. (`EventSource` cannot send an Authorization header.) */
import { createParser } from 'eventsource-parser';

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

/** Piece by piece: all messages that have come at once; empty for a sign of life. Throws when the connection breaks. */
export async function* messagesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Message[]> {
  const read = createMessageReader();
  // With a reader, because not every browser can iterate over a stream yet.
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield read(piece.value);
  } finally {
    // A reader that stops early closes the connection.
    await reader.cancel().catch(() => undefined);
  }
}
