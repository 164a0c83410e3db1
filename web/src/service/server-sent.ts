/** Server-sent events, read from the text of a stream. Pure. (`EventSource` cannot send an Authorization header.) */
import { createParser } from 'eventsource-parser';

export type Message = { id?: string; event: string; data: string };

/** Takes the text in whatever pieces it comes and gives the messages that are complete. */
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
