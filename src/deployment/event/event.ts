/**
 * Events: what happens to a deployment, as values. Code reads the fields; `event-text.ts` creates the sentence for
 * people. The field with the name of the kind is a subtype.
 */
import { type Static, type TProperties, Type } from 'typebox';
import { snapshotReasons } from '../snapshot/snapshot.ts';

const revision = Type.Integer({ minimum: 1 });
const replica = Type.Integer({ minimum: 0 });
const bytes = Type.Integer({ minimum: 0 });
const text = Type.String();

/** A change of the configuration that certainly fixes the problem. */
const advice = Type.Object(
  {
    kind: Type.Enum(['use-port']),
    pod: text,
    port: Type.Integer({ description: 'The port that the pod listens on.' }),
    instead: Type.Integer({ description: 'The port of the configuration.' }),
  },
  { description: 'A change to the configuration that fixes the problem.' },
);

/** A problem and the affected pods. */
export const reasonFields = {
  pods: Type.Array(text, { description: 'The pod concerned; absent if all pods are concerned.' }),
  because: Type.String({ description: 'The problem.' }),
  repeated: Type.Optional(Type.String({ description: 'How many times it has happened, as a phrase.' })),
  hint: Type.Optional(Type.String({ description: 'How the owner can fix the problem.' })),
  advice: Type.Optional(advice),
};

/** A request of a user. Requests with the same fields share a schema. */
const intents = <const Name extends string, Fields extends TProperties>(names: [Name, ...Name[]], fields: Fields) =>
  Type.Object({ kind: Type.Literal('intent'), intent: Type.Enum(names), ...fields });

const IntentEvent = Type.Union(
  [
    intents(['start', 'update', 'restore', 'start-application'], { revision }),
    intents(['extend', 'claim', 'hold', 'end-hold', 'stop-application', 'unsuspend'], {}),
    intents(['change-plan'], { plan: text }),
    intents(['remove'], { because: Type.Enum(['asked', 'account-deleted']) }),
    intents(['restore-snapshot'], { snapshot: text, volumes: Type.Array(text) }),
    intents(['restart-pod'], { revision, pod: text }),
    intents(['suspend', 'stop'], { because: Type.String({ description: "The operator's words." }) }),
  ],
  { description: 'A request of a user.' },
);

/** A completed step. `because` is its cause in the plan. */
const operation = <const Name extends string, Fields extends TProperties>(name: Name, fields: Fields) =>
  Type.Object({ kind: Type.Literal('operation'), operation: Type.Literal(name), because: text, ...fields });

const OperationEvent = Type.Union(
  [
    operation('create-network', {}),
    operation('set-egress', { egress: text }),
    operation('set-pod-targets', { targets: text }),
    operation('create-volume', { volume: text, sizeBytes: bytes }),
    operation('grow-volume', { volume: text, sizeBytes: bytes }),
    operation('check', { images: Type.Array(text) }),
    operation('pull', { image: text }),
    Type.Object({
      kind: Type.Literal('operation'),
      operation: Type.Enum(['start', 'stop', 'freeze', 'thaw', 'remove']),
      because: text,
      ...{ workload: text, pod: text, revision, replica },
    }),
    operation('remove-volume', { volume: text }),
    operation('swap-volumes', { volumes: Type.Array(text) }),
    operation('remove-network', {}),
    operation('route', {
      endpoints: Type.Array(
        Type.Object({ path: text, address: text, port: Type.Integer(), host: Type.Optional(text) }),
      ),
      revision: Type.Optional(Type.Integer({ minimum: 1, description: 'The revision that now serves completely.' })),
    }),
    operation('drain', { addresses: Type.Array(text) }),
  ],
  { description: 'A completed step.' },
);

const ProgressEvent = Type.Object(
  {
    kind: Type.Literal('progress'),
    progress: Type.Integer({ minimum: 0, maximum: 100 }),
    pulling: Type.Optional(
      Type.Array(Type.Object({ pod: text, doneBytes: bytes, totalBytes: bytes }), {
        description: 'The downloaded part of the images of pods, during the download.',
      }),
    ),
  },
  { description: 'The progress of the revision, in percent.' },
);

const PodEvent = Type.Object(
  {
    kind: Type.Literal('pod'),
    pod: text,
    state: Type.String({ description: 'As in the status of the deployment.' }),
    because: Type.Optional(Type.String({ description: 'Why the pod is not ready.' })),
    revision: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'The revision of the pod, if it is not the last requested one.',
      }),
    ),
  },
  { description: 'The state of a pod has changed.' },
);

const state = <const Name extends string, Fields extends TProperties>(name: Name, fields: Fields) =>
  Type.Object({ kind: Type.Literal('state'), state: Type.Literal(name), ...fields });

const StateEvent = Type.Union(
  [
    state('running', { revision }),
    state('failed', {
      ...reasonFields,
      servingRevision: Type.Optional(
        Type.Integer({ minimum: 1, description: 'The earlier revision that still serves.' }),
      ),
      lastLines: Type.Array(text, { description: 'The last log lines of the pod, without known secrets.' }),
    }),
    state('expired', {
      because: Type.Enum(['removed', 'expired']),
      restorableUntil: Type.Optional(
        Type.String({
          description: 'A date-time. Until then, its volumes are kept and the deployment can be restored.',
        }),
      ),
    }),
  ],
  { description: 'The state of the deployment has changed.' },
);

const fault = <const Name extends string, Fields extends TProperties>(name: Name, fields: Fields) =>
  Type.Object({ kind: Type.Literal('fault'), fault: Type.Literal(name), ...fields });

const FaultEvent = Type.Union(
  [
    fault('tried-again', reasonFields),
    fault('volume-lost', { volume: text, title: text }),
    fault('registry-not-asked', { image: text }),
  ],
  { description: 'A problem that does not end the deployment.' },
);

const disk = <const Name extends string, Fields extends TProperties>(name: Name, fields: Fields) =>
  Type.Object({ kind: Type.Literal('disk'), disk: Type.Literal(name), ...fields });

const volume = {
  volume: text,
  title: Type.String({ description: 'The display name, such as `volume data of pod db`.' }),
};

const DiskEvent = Type.Union(
  [
    disk('level', {
      ...volume,
      level: Type.Enum(['roomy', 'nearly full', 'full']),
      percent: Type.Integer({ minimum: 0 }),
      sizeBytes: bytes,
    }),
    disk('kept-size', { ...volume, sizeBytes: bytes }),
    disk('mended', volume),
    disk('stopped', { pod: text, because: text }),
  ],
  { description: 'A volume is almost full or has free space again, or a pod is stopped because of its disk use.' },
);

const lifetime = <const Name extends string, Fields extends TProperties>(name: Name, fields: Fields) =>
  Type.Object({ kind: Type.Literal('lifetime'), lifetime: Type.Literal(name), ...fields });

const LifetimeEvent = Type.Union(
  [
    lifetime('ends-soon', { expiresAt: Type.String({ description: 'A date-time.' }) }),
    lifetime('forgotten', {
      because: Type.Enum(['time', 'asked', 'room', 'limit'], {
        description:
          'The retention time ended, the owner requested it, the disk was nearly full, or the owner had too much retained data.',
      }),
    }),
  ],
  { description: 'The time limit is near, or the retained data of an ended deployment is removed.' },
);

const SleepEvent = Type.Object(
  { kind: Type.Literal('sleep'), sleep: Type.Enum(['frozen', 'stopped', 'awake']) },
  { description: 'The deployment was not used and fell asleep, or a request woke it up.' },
);

const build = <const Name extends string, Fields extends TProperties>(name: Name, fields: Fields) =>
  Type.Object({ kind: Type.Literal('build'), build: Type.Literal(name), revision, ...fields });

const seconds = Type.Integer({ minimum: 0 });

const BuildEvent = Type.Union(
  [
    build('begun', { images: Type.Array(text) }),
    build('image', { image: text, seconds }),
    build('done', { seconds }),
    build('failed', { image: Type.Optional(text), because: text }),
  ],
  { description: 'An image of the revision is built from source.' },
);

const snapshot = <const Name extends string, Fields extends TProperties>(name: Name, fields: Fields) =>
  Type.Object({ kind: Type.Literal('snapshot'), snapshot: Type.Literal(name), id: text, ...fields });

const SnapshotEvent = Type.Union(
  [
    snapshot('taken', { reason: Type.Enum([...snapshotReasons]), totalBytes: bytes, pausedMs: bytes }),
    snapshot('failed', { because: text, isOver: Type.Boolean({ description: 'The service does not try again.' }) }),
    snapshot('restored', { volumes: Type.Array(text) }),
    snapshot('not-restored', {
      because: text,
      isOver: Type.Boolean({ description: 'The service does not try again; the data is unchanged.' }),
    }),
  ],
  { description: 'A snapshot or a restore was completed or has failed.' },
);

const ForgottenEvent = Type.Object(
  {
    kind: Type.Literal('forgotten'),
    events: Type.Integer({ minimum: 1, description: 'The number of events, including repetitions.' }),
  },
  { description: 'Stands for the oldest events, which are no longer kept.' },
);

/** A schema for each kind. */
export const eventSchemas = {
  intent: IntentEvent,
  operation: OperationEvent,
  progress: ProgressEvent,
  pod: PodEvent,
  state: StateEvent,
  fault: FaultEvent,
  disk: DiskEvent,
  lifetime: LifetimeEvent,
  snapshot: SnapshotEvent,
  build: BuildEvent,
  sleep: SleepEvent,
  forgotten: ForgottenEvent,
};

export type EventKind = keyof typeof eventSchemas;

export type EventOf<Kind extends EventKind> = Static<(typeof eventSchemas)[Kind]>;

export type DeploymentEvent = { [Kind in EventKind]: EventOf<Kind> }[EventKind];

/** All kinds. */
export const eventKinds = Object.keys(eventSchemas) as EventKind[];

/**
 * Returns a key that is equal for repeated events. Null for events that are never counted together. Values that differ
 * between repetitions (fill level, last lines) are not part of it. The last repetition is stored.
 */
export function identityOf(event: DeploymentEvent): string | null {
  if (event.kind === 'intent' || event.kind === 'forgotten') return null;
  const passing = new Set(['percent', 'lastLines', 'repeated']);
  const lasting = Object.entries(event).filter(([field]) => !passing.has(field));
  return JSON.stringify(lasting.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
