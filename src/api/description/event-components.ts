/** PURE. The events of a deployment in the API description: one shape for each `kind`. */
import { Type } from 'typebox';
import { type EventKind, eventKinds, eventSchemas } from '../../deployment/event/event.ts';

const instant = Type.String({ format: 'date-time' });

/** The fields of every event in addition to those of its kind. */
const Told = Type.Object({
  message: Type.String({ description: 'The event as a sentence.' }),
  number: Type.Integer({ minimum: 1, description: 'The number of the event. A repeated event keeps its number.' }),
  count: Type.Integer({ minimum: 1, description: 'How many times the event has happened.' }),
  firstAt: instant,
  at: instant,
});

const nameOf = (kind: EventKind) => `${kind[0]!.toUpperCase()}${kind.slice(1)}Event`;
const referenceTo = (name: string) => `#/components/schemas/${name}`;

export const eventComponents: { [name: string]: object } = {
  Event: {
    description:
      'The `data` of a server-sent event. Future versions may add kinds: show the `message` of kinds that you do not know.',
    oneOf: eventKinds.map((kind) => ({ $ref: referenceTo(nameOf(kind)) })),
    discriminator: {
      propertyName: 'kind',
      mapping: Object.fromEntries(eventKinds.map((kind) => [kind, referenceTo(nameOf(kind))])),
    },
  },
  EventToldFields: Told,
  ...Object.fromEntries(
    eventKinds.map((kind) => [nameOf(kind), { allOf: [eventSchemas[kind], { $ref: referenceTo('EventToldFields') }] }]),
  ),
};

/** The schema of a stream whose messages each contain an event as JSON. */
export const eventStreamSchema = {
  type: 'string',
  description: 'Each message has an event as its `data`.',
  contentMediaType: 'application/json',
  contentSchema: { $ref: referenceTo('Event') },
};
