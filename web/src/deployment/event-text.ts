/** The events of a deployment, in words. Pure. */
import { printBytes } from '../../../src/config/values/units.ts';
import type { DeploymentEvent, EventOf } from '../../../src/deployment/event/event.ts';
import { describeReason } from '../../../src/deployment/status/reason.ts';
import { capitalised } from '../parts/capitalised.ts';

/** An event as the service sends it. */
export type StreamedEvent = DeploymentEvent & {
  /** The number of the event. A repeated event has the same number. */
  number: number;
  /** The position among all events. */
  sequence: number;
  /** The number of occurrences, with the times of the first and the last one. */
  count: number;
  firstAt: string;
  at: string;
  /** The service's own sentence for it. */
  message: string;
};

export type EventText = { text: string; detail?: string; tone: 'plain' | 'good' | 'bad' };

/** Undefined for events that are shown elsewhere: the progress bar, the start of a pod. */
export function describeEvent(event: StreamedEvent): EventText | undefined {
  switch (event.kind) {
    case 'progress':
      return undefined;
    case 'intent':
      return { text: tellIntent(event), tone: 'plain' };
    case 'operation':
      return { text: tellOperation(event), tone: 'plain' };
    case 'pod':
      return describePod(event);
    case 'state':
      return describeState(event);
    case 'fault':
      return { text: capitalised(event.message), tone: 'bad' };
    case 'disk':
      return describeDisk(event);
    default:
      // A kind that a later release has added.
      return { text: capitalised(event.message), tone: 'plain' };
  }
}

/** The revision that an intent requests; undefined for every other event. */
export function requestedRevision(event: StreamedEvent): number | undefined {
  const isAsking = event.kind === 'intent' && 'revision' in event;
  return isAsking ? event.revision : undefined;
}

export function isLive(event: StreamedEvent): boolean {
  return event.kind === 'state' && event.state === 'running';
}

export function isFailure(event: StreamedEvent): boolean {
  return event.kind === 'state' && event.state === 'failed';
}

/** Returns whether a restore continues an ended deployment. */
export function isRestore(event: StreamedEvent): boolean {
  return event.kind === 'intent' && event.intent === 'restore';
}

/** Returns why the deployment has ended. Only clean-up or a restore follows. */
export function endOf(event: StreamedEvent): 'removed' | 'expired' | undefined {
  return event.kind === 'state' && event.state === 'expired' ? event.because : undefined;
}

function tellIntent(event: EventOf<'intent'>): string {
  switch (event.intent) {
    case 'start':
      return 'Deployment requested';
    case 'update':
      return `Update to revision ${event.revision} requested`;
    case 'extend':
      return 'Time limit extended';
    case 'claim':
      return 'Claimed';
    case 'hold':
      return 'Reservation added';
    case 'end-hold':
      return 'Reservation removed';
    case 'change-plan':
      return `Plan changed to ${event.plan}`;
    case 'remove':
      return event.because === 'account-deleted' ? 'Removed with its account' : 'Removal requested';
    case 'restore':
      return 'Restore requested';
    case 'restore-snapshot':
      return `Restore of ${event.volumes.join(', ')} requested`;
    case 'restart-pod':
      return `Restart of ${event.pod} requested`;
    case 'stop-application':
      return 'Stopped by its owner';
    case 'start-application':
      return 'Start requested';
    case 'suspend':
      return `Suspended by the operator: ${event.because}`;
    case 'unsuspend':
      return 'Suspension ended by the operator';
    case 'stop':
      return `Stopped by the operator: ${event.because}`;
  }
}

function tellOperation(event: EventOf<'operation'>): string {
  switch (event.operation) {
    case 'create-network':
      return 'Network created';
    case 'remove-network':
      return 'Network removed';
    case 'set-egress':
      return `Outgoing connections: ${event.egress}`;
    case 'set-pod-targets':
      return 'Names of pods lead to the workloads that serve';
    case 'create-volume':
      return `Volume ${event.volume} created`;
    case 'grow-volume':
      return `Volume ${event.volume} grown to ${printBytes(event.sizeBytes)}`;
    case 'remove-volume':
      return `Volume ${event.volume} removed`;
    case 'check':
      return `Looked up ${event.images.join(', ')}`;
    case 'pull':
      return `Image ${event.image} downloaded`;
    case 'start':
      return `${event.pod} started`;
    case 'freeze':
      return `${event.pod} frozen`;
    case 'thaw':
      return `${event.pod} continues`;
    case 'stop':
    case 'remove':
      return `${event.pod} of revision ${event.revision} stopped`;
    case 'route':
      if (event.endpoints.length === 0) return 'The address no longer serves anything';
      return event.revision === undefined
        ? 'The address serves the remaining pods'
        : `The address serves revision ${event.revision}`;
    case 'swap-volumes':
      return `Data of ${event.volumes.join(', ')} put in place`;
    case 'drain':
      return 'Requests to the old revision have ended';
  }
}

function describePod({ pod: name, state, because, revision }: EventOf<'pod'>): EventText | undefined {
  const detail = because === undefined ? {} : { detail: because };
  const pod = revision === undefined ? name : `${name} of revision ${revision}`;
  switch (state) {
    case 'ready':
      return { text: `${pod} is ready`, tone: 'good', ...detail };
    case 'failed':
      return { text: `${pod} failed`, tone: 'bad', ...detail };
    case 'degraded':
      return { text: `${pod} is degraded`, tone: 'bad', ...detail };
    case 'starting':
    case 'waiting':
      // The start is a separate event. Until then, all pods are waiting.
      return because === undefined ? undefined : { text: `${pod} is ${state}`, tone: 'plain', ...detail };
    default:
      return { text: `${pod} is ${state}`, tone: 'plain', ...detail };
  }
}

function describeState(event: EventOf<'state'>): EventText {
  switch (event.state) {
    case 'running':
      return { text: `Revision ${event.revision} is live`, tone: 'good' };
    case 'failed': {
      const { lastLines, servingRevision } = event;
      const serving = servingRevision === undefined ? '' : `; revision ${servingRevision} still serves`;
      const detail = lastLines.length > 0 ? { detail: lastLines.join('\n') } : {};
      return { text: `Failed: ${describeReason(event)}${serving}`, tone: 'bad', ...detail };
    }
    case 'expired':
      return { text: event.because === 'removed' ? 'Removed' : 'Expired: its time limit was reached', tone: 'plain' };
  }
}

function describeDisk(event: EventOf<'disk'> & { message: string }): EventText {
  const isGood = event.disk === 'mended' || (event.disk === 'level' && event.level === 'roomy');
  const isBad = event.disk === 'stopped' || (event.disk === 'level' && event.level === 'full');
  return { text: capitalised(event.message), tone: isGood ? 'good' : isBad ? 'bad' : 'plain' };
}
