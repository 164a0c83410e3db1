/**
 * Events were sentences, and so was what is told beside a deployment's state; from now on they are values, and events
 * that repeat are counted. What a sentence says exactly becomes the value; every other one is kept as it was told.
 */
import { type Kysely, sql } from 'kysely';

type Event = { deploymentId: string; number: number; kind: string; pod: string | null; message: string };
type NewEvent = Event & { sequence: number; identity: string | null; fields: string; count: number; firstAt: number };
type Deployment = { id: string; message: string; explanation: string | null };
type Value = { kind: string; [field: string]: unknown };

type Tables = { events: Event; eventValues: NewEvent; deployments: Deployment };

export async function up(db: Kysely<Tables>): Promise<void> {
  await makeEventsValues(db);
  await makeMessagesValues(db);
}

async function makeEventsValues(db: Kysely<{ events: Event; eventValues: NewEvent }>): Promise<void> {
  await db.schema
    .createTable('eventValues')
    .addColumn('deploymentId', 'text', (c) => c.notNull().references('deployments.id').onDelete('cascade'))
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('sequence', 'integer', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('identity', 'text')
    .addColumn('fields', 'text', (c) => c.notNull())
    .addColumn('count', 'integer', (c) => c.notNull())
    .addColumn('firstAt', 'bigint', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('eventValues_key', ['deploymentId', 'number'])
    .execute();
  await sql`insert into "eventValues" ("deploymentId", "number", "sequence", "kind", "fields", "count", "firstAt", "at")
    select "deploymentId", "number", "number", 'legacy', '{}', 1, "at", "at" from "events"`.execute(db);
  const deployments = await db.selectFrom('events').select('deploymentId').distinct().execute();
  for (const { deploymentId } of deployments) {
    const events = db.selectFrom('events').select(['deploymentId', 'number', 'kind', 'pod', 'message']);
    for (const event of await events.where('deploymentId', '=', deploymentId).execute()) {
      const { kind, ...fields } = readEvent(event);
      await db
        .updateTable('eventValues')
        .set({ kind, fields: JSON.stringify(fields) })
        .where('deploymentId', '=', deploymentId)
        .where('number', '=', event.number)
        .execute();
    }
  }
  await db.schema.dropTable('events').execute();
  await db.schema.alterTable('eventValues').renameTo('events').execute();
  await db.schema.createIndex('events_sequence').on('events').columns(['deploymentId', 'sequence']).unique().execute();
}

async function makeMessagesValues(db: Kysely<{ deployments: Deployment }>): Promise<void> {
  await db.schema.alterTable('deployments').addColumn('explanation', 'text').execute();
  const deployments = await db.selectFrom('deployments').select(['id', 'message']).where('message', '!=', '').execute();
  for (const { id, message } of deployments) {
    const explanation = JSON.stringify(readMessage(message));
    await db.updateTable('deployments').set({ explanation }).where('id', '=', id).execute();
  }
  await db.schema.alterTable('deployments').dropColumn('message').execute();
}

/** What was told beside the state; whatever is none of the rest is why it failed. */
export function readMessage(message: string): object {
  if (message === ends.removed) return { kind: 'ended', because: 'removed' };
  if (message === ends.expired) return { kind: 'ended', because: 'expired' };
  const trouble = triedAgain.exec(message)?.[1];
  if (trouble !== undefined) return { kind: 'tried-again', pods: [], because: trouble };
  return { kind: 'failed', ...readFailure(message) };
}

const ends = { removed: 'removed', expired: 'its time limit is reached' };

const triedAgain = /^(.*)\. It is tried again; what runs keeps running\.$/s;

/** Which pods it was about, and which words of it were advice, is not told apart. */
function readFailure(message: string) {
  const [, because = '', serving] = /^(.*?)(?:; revision (\d+) still serves)?$/s.exec(message)!;
  return { pods: [], because, ...(serving !== undefined && { servingRevision: Number(serving) }) };
}

/** The value of an event as the release before wrote it. */
export function readEvent(event: Event): Value {
  const { kind, pod, message } = event;
  return readers[kind]?.(message, pod) ?? { kind: 'legacy', was: kind, ...(pod !== null && { pod }), told: message };
}

type Reader = (message: string, pod: string | null) => Value | undefined;

const readers: Record<string, Reader> = {
  intent: readIntent,
  operation: readOperation,
  progress: (message) => (/^(\d\d?|100)$/.test(message) ? { kind: 'progress', progress: Number(message) } : undefined),
  pod: readPod,
  state: readState,
  fault: readFault,
};

const intents: Record<string, object> = {
  started: { intent: 'start', revision: 1 },
  extended: { intent: 'extend' },
  claimed: { intent: 'claim' },
  'reservation added': { intent: 'hold' },
  'reservation removed': { intent: 'end-hold' },
  removed: { intent: 'remove', because: 'asked' },
  'removed with its account': { intent: 'remove', because: 'account-deleted' },
};

function readIntent(message: string): Value | undefined {
  const known = Object.hasOwn(intents, message) ? intents[message] : undefined;
  const revision = /^updated to revision (\d+)$/.exec(message)?.[1];
  const plan = /^plan changed to (.+)$/s.exec(message)?.[1];
  const because = /^stopped by the operator: (.*)$/s.exec(message)?.[1];
  if (known) return { kind: 'intent', ...known };
  if (revision) return { kind: 'intent', intent: 'update', revision: Number(revision) };
  if (plan !== undefined) return { kind: 'intent', intent: 'change-plan', plan };
  return because === undefined ? undefined : { kind: 'intent', intent: 'stop', because };
}

/** `<operation> <object>, <because>`; of volumes that were made or grown the size is not told. */
function readOperation(message: string): Value | undefined {
  const match = /^(?<operation>[a-z-]+)(?: (?<object>\S.*))?, (?<because>(?:(?!, ).)+)$/.exec(message)?.groups;
  if (!match) return undefined;
  const { operation, object, because } = match;
  const value = { kind: 'operation', operation, because: because! };
  if (operation === 'create-network' || operation === 'remove-network') return object === undefined ? value : undefined;
  if (object === undefined) return undefined;
  switch (operation) {
    case 'set-egress':
      return { ...value, egress: object };
    case 'remove-volume':
      return { ...value, volume: object };
    case 'check':
      return { ...value, images: object.split(' ') };
    case 'pull':
      return { ...value, image: object };
    case 'drain':
      return { ...value, addresses: object.split(' ') };
    case 'start':
    case 'remove': {
      const name = /^berth-[^-]+-(.+)-(\d+)-(\d+)$/.exec(object);
      const [workload, pod, revision, replica] = name ?? [];
      return name ? { ...value, workload, pod, revision: Number(revision), replica: Number(replica) } : undefined;
    }
    case 'route':
      return readRoute(object, value);
    default:
      return undefined;
  }
}

function readRoute(object: string, value: Value & { because: string }): Value | undefined {
  const endpoints = (object === 'nothing' ? [] : object.split(' ')).map((target) =>
    /^(\/.*)→([\w.]+):(\d+)$/.exec(target),
  );
  if (endpoints.some((endpoint) => endpoint === null)) return undefined;
  const revision = /^revision (\d+)$/.exec(value.because)?.[1];
  return {
    ...value,
    endpoints: endpoints.map((endpoint) => ({ path: endpoint![1], address: endpoint![2], port: Number(endpoint![3]) })),
    ...(revision && { revision: Number(revision) }),
  };
}

function readPod(message: string, pod: string | null): Value | undefined {
  const [, state, because] = /^(waiting|starting|ready|failed)(?:: (.*))?$/s.exec(message) ?? [];
  if (state === undefined || pod === null) return undefined;
  return { kind: 'pod', pod, state, ...(because !== undefined && { because }) };
}

function readState(message: string): Value | undefined {
  const revision = /^revision (\d+) is running$/.exec(message)?.[1];
  if (revision) return { kind: 'state', state: 'running', revision: Number(revision) };
  if (message === ends.removed) return { kind: 'state', state: 'expired', because: 'removed' };
  if (message === ends.expired) return { kind: 'state', state: 'expired', because: 'expired' };
  const [first = '', ...lastLines] = message.split('\n');
  const failure = /^failed: (.*)$/.exec(first)?.[1];
  return failure === undefined ? undefined : { kind: 'state', state: 'failed', ...readFailure(failure), lastLines };
}

function readFault(message: string): Value | undefined {
  const because = triedAgain.exec(message)?.[1];
  if (because !== undefined) return { kind: 'fault', fault: 'tried-again', pods: [], because };
  const image = /^image (\S+) is used as it is on this host: its registry cannot be reached now$/.exec(message)?.[1];
  return image === undefined ? undefined : { kind: 'fault', fault: 'registry-not-asked', image };
}
