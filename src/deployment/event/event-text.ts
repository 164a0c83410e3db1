/** PURE. The sentences of events. Imports only modules that are small in a browser. */
import { printBytes } from '../../config/values/units.ts';
import { describeExplanation } from '../status/reason.ts';
import type { DeploymentEvent, EventOf } from './event.ts';

/** Returns one line; a failure is followed by the last lines of its pod. */
export function describeEvent(event: DeploymentEvent): string {
  switch (event.kind) {
    case 'intent':
      return describeIntent(event);
    case 'operation':
      return describeOperation(event);
    case 'progress':
      return String(event.progress);
    case 'pod':
      return describePod(event);
    case 'state':
      return describeState(event);
    case 'fault':
      return describeFault(event);
    case 'disk':
      return describeDisk(event);
    case 'lifetime':
      return describeLifetime(event);
    case 'snapshot':
      return describeSnapshot(event);
    case 'build':
      return describeBuild(event);
    case 'sleep':
      return sleepTexts[event.sleep];
    case 'forgotten':
      return event.events === 1 ? 'an earlier event was removed' : `${event.events} earlier events were removed`;
  }
}

const sleepTexts: Record<EventOf<'sleep'>['sleep'], string> = {
  frozen: 'asleep: not used, so its processes are frozen until the next request',
  stopped: 'asleep: not used, so its containers are removed until the next request; its volumes stay',
  awake: 'awake: woken up by a request',
};

function describePod({ state, because, revision }: EventOf<'pod'>): string {
  const where = revision === undefined ? '' : ` in revision ${revision}`;
  return `${state}${where}${because === undefined ? '' : `: ${because}`}`;
}

function describeIntent(event: EventOf<'intent'>): string {
  switch (event.intent) {
    case 'start':
      return 'started';
    case 'update':
      return `updated to revision ${event.revision}`;
    case 'extend':
      return 'extended';
    case 'claim':
      return 'claimed';
    case 'hold':
      return 'reservation added';
    case 'end-hold':
      return 'reservation removed';
    case 'change-plan':
      return `plan changed to ${event.plan}`;
    case 'remove':
      return event.because === 'account-deleted' ? 'removed with its account' : 'removed';
    case 'restore':
      return 'restored';
    case 'restore-snapshot':
      return `${event.volumes.join(', ')} to be restored from snapshot ${event.snapshot}`;
    case 'restart-pod':
      return `restart of pod ${event.pod} requested`;
    case 'stop-application':
      return 'stopped by its owner';
    case 'start-application':
      return 'started again by its owner';
    case 'suspend':
      return `suspended by the operator: ${event.because}`;
    case 'unsuspend':
      return 'suspension ended by the operator';
    case 'stop':
      return `stopped by the operator: ${event.because}`;
  }
}

/** Returns one line of a plan, such as `remove berth-shop-web-1-0, expired`. */
export function describeOperation(event: EventOf<'operation'>): string {
  return `${[event.operation, objectOf(event)].filter(Boolean).join(' ')}, ${event.because}`;
}

function objectOf(event: EventOf<'operation'>): string {
  switch (event.operation) {
    case 'create-volume':
    case 'grow-volume':
    case 'remove-volume':
      return event.volume;
    case 'set-egress':
      return event.egress;
    case 'set-pod-targets':
      return event.targets;
    case 'check':
      return event.images.join(' ');
    case 'pull':
      return event.image;
    case 'start':
    case 'stop':
    case 'freeze':
    case 'thaw':
    case 'remove':
      return event.workload;
    case 'route':
      return (
        event.endpoints.map(({ host = '', path, address, port }) => `${host}${path}→${address}:${port}`).join(' ') ||
        'nothing'
      );
    case 'swap-volumes':
      return event.volumes.join(' ');
    case 'drain':
      return event.addresses.join(' ');
    default:
      return '';
  }
}

function describeState(event: EventOf<'state'>): string {
  switch (event.state) {
    case 'running':
      return `revision ${event.revision} is running`;
    case 'failed':
      return [`failed: ${describeExplanation({ ...event, kind: 'failed' })}`, ...event.lastLines].join('\n');
    case 'expired':
      return `${describeExplanation({ kind: 'ended', because: event.because })}${restorable(event.restorableUntil)}`;
  }
}

function describeBuild(event: EventOf<'build'>): string {
  switch (event.build) {
    case 'begun':
      return `building ${event.images.join(', ')}`;
    case 'image':
      return `image ${event.image} was built in ${event.seconds} s`;
    case 'done':
      return `build completed in ${event.seconds} s`;
    case 'failed':
      return `${event.image === undefined ? 'the images' : `image ${event.image}`} could not be built: ${event.because}`;
  }
}

function describeSnapshot(event: EventOf<'snapshot'>): string {
  const ending = (isOver: boolean) => (isOver ? 'and will not be tried again' : 'and will be tried again');
  switch (event.snapshot) {
    case 'taken':
      return `snapshot ${event.id} was taken: ${printBytes(event.totalBytes)}; writers waited ${event.pausedMs} ms`;
    case 'failed':
      return `snapshot ${event.id} could not be taken ${ending(event.isOver)}: ${event.because}`;
    case 'restored':
      return `${event.volumes.join(', ')} restored from snapshot ${event.id}`;
    case 'not-restored':
      return `snapshot ${event.id} could not be restored ${ending(event.isOver)}: ${event.because}`;
  }
}

function restorable(until: string | undefined): string {
  return until === undefined ? '' : `; it can be restored until ${until}`;
}

function describeLifetime(event: EventOf<'lifetime'>): string {
  if (event.lifetime === 'ends-soon') return `it expires soon, at ${event.expiresAt}: extend or claim it to keep it`;
  return `its kept data is removed: ${reasonsToForget[event.because]}`;
}

const reasonsToForget = {
  time: 'the time to restore it is over',
  asked: 'its owner requested it',
  room: 'the disk of the host is nearly full',
  limit: 'the limit of retained data was exceeded',
} as const;

function describeFault(event: EventOf<'fault'>): string {
  switch (event.fault) {
    case 'tried-again':
      return describeExplanation({ ...event, kind: 'tried-again' });
    case 'volume-lost':
      return `The ${event.title} was lost on the engine with its data. It is created again, empty.`;
    case 'registry-not-asked':
      return `image ${event.image} is used as it is on this host: its registry cannot be reached now`;
  }
}

function describeDisk(event: EventOf<'disk'>): string {
  switch (event.disk) {
    case 'level':
      return describeLevel(event);
    case 'kept-size':
      return `${event.title} keeps its size of ${printBytes(event.sizeBytes)}: a volume is never made smaller`;
    case 'mended':
      return `${event.title} could not be written because the disk of the host was full: it was repaired, and its pods are restarted`;
    case 'stopped':
      return `pod ${event.pod} is stopped: ${event.because}`;
  }
}

/** For example `volume data of pod db is full (1 GiB): …`. */
function describeLevel({ title, sizeBytes, level, percent }: Extract<EventOf<'disk'>, { disk: 'level' }>): string {
  const size = printBytes(sizeBytes);
  if (level === 'full') return `${title} is full (${size}): make it larger or delete files`;
  const share = `${percent} % full (of ${size})`;
  return level === 'roomy'
    ? `${title} has room again: ${share}`
    : `${title} is ${share}: make it larger or delete files`;
}
