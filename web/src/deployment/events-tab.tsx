/** All events of a deployment, newest first. A repeated event is shown at its last occurrence. */
import { useMemo } from 'react';
import { Prose } from '../parts/prose.tsx';
import { printClock } from '../parts/time.ts';
import type { Connection } from '../service/follow.ts';
import { describeEvent, type StreamedEvent } from './event-text.ts';
import './events-tab.css';

export default function EventsTab({
  events,
  connection,
}: {
  events: readonly StreamedEvent[];
  connection: Connection;
}) {
  const days = useMemo(() => byDay(events), [events]);
  if (days.length === 0) {
    return (
      <div className="panel empty">{connection === 'open' ? 'Nothing has happened yet.' : 'Loading the events …'}</div>
    );
  }
  return (
    <div className="panel events">
      {days.map(({ day, events }) => (
        <section key={day} aria-label={day}>
          <h2 className="small soft">{day}</h2>
          <ol>
            {events.map((event) => (
              <Row key={event.number} event={event} />
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

function Row({ event }: { event: StreamedEvent }) {
  const notifying = describeEvent(event);
  if (!notifying) return null;
  return (
    <li className={notifying.tone}>
      <time className="numbers soft" dateTime={event.at}>
        {printClock(event.at)}
      </time>
      <span>
        <Prose text={notifying.text} />
        {event.count > 1 && (
          <span className="count small soft">
            {event.count} times since {printClock(event.firstAt)}
          </span>
        )}
        {notifying.detail !== undefined && <span className="detail">{notifying.detail}</span>}
      </span>
    </li>
  );
}

function byDay(events: readonly StreamedEvent[]): { day: string; events: StreamedEvent[] }[] {
  const days = new Map<string, StreamedEvent[]>();
  for (const event of events.toReversed()) {
    const day = new Date(event.at).toLocaleDateString(undefined, { dateStyle: 'full' });
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  return [...days].map(([day, ofDay]) => ({ day, events: ofDay }));
}
