/** Events as the API sends them: the value, how often and when it has happened, and its sentence. */
import { inOwnersWords } from '../../config/values/pushed-image.ts';
import { describeEvent } from '../../deployment/event/event-words.ts';
import type { RecordedEvent } from '../../store/events.ts';

/** As a server-sent event. Its id is the place in the sequence: a reader that comes back sends it as `Last-Event-ID`. */
export function printEvent(event: RecordedEvent): string {
  return `id: ${event.sequence}\nevent: ${event.kind}\ndata: ${JSON.stringify(eventRecord(event))}\n\n`;
}

function eventRecord({ sequence: _, count, firstAt, at, ...event }: RecordedEvent) {
  const told = inOwnersWords(event);
  return {
    at: new Date(at).toISOString(),
    ...told,
    message: inOwnersWords(describeEvent(event)),
    count,
    firstAt: new Date(firstAt).toISOString(),
  };
}
