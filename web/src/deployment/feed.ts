/** The state of a deployment, kept up to date by its events. Pure. */

import type { Message } from '../../../src/client/follow.ts';
import type { Connection } from '../service/follow.ts';
import type { Deployment, Status } from '../service/records.ts';
import type { Problem } from '../service/request.ts';
import { isFailure, isLive, requestedRevision, type StreamedEvent } from './event-text.ts';

export type Feed = {
  deployment?: Deployment;
  /** In the order of their last occurrence. */
  events: readonly StreamedEvent[];
  connection: Connection;
  /** The reason if the deployment cannot be loaded. */
  problem?: Problem;
};

export const emptyFeed: Feed = { events: [], connection: 'connecting' };

/** More events than users read. Only a deployment that crashes for weeks exceeds the limit. */
const maxEvents = 2_000;

/** Undefined for an invalid message. An event of an unknown kind still has a sentence. */
export function readEvent({ id, data }: Message): StreamedEvent | undefined {
  try {
    const fields = JSON.parse(data);
    const isEvent = typeof fields?.kind === 'string' && typeof fields.message === 'string';
    return isEvent ? { ...fields, sequence: Number(id) } : undefined;
  } catch {
    // Not of this service's making.
    return undefined;
  }
}

export function addEvents(feed: Feed, come: readonly StreamedEvent[]): Feed {
  const last = feed.events.at(-1)?.sequence ?? 0;
  const news = come.filter(({ sequence }) => sequence > last);
  if (news.length === 0) return feed;
  // A repeated event replaces its earlier occurrence.
  const latest = new Map(news.map((event) => [event.number, event.sequence]));
  const events = [...feed.events, ...news]
    .filter(({ number, sequence }) => (latest.get(number) ?? sequence) === sequence)
    .slice(-maxEvents);
  return { ...feed, events, ...(feed.deployment && { deployment: updated(feed.deployment, news) }) };
}

/** Applies events to the status until the service returns a new one. */
function updated(deployment: Deployment, events: readonly StreamedEvent[]): Deployment {
  return { ...deployment, status: events.reduce(withEvent, deployment.status) };
}

function withEvent(status: Status, event: StreamedEvent): Status {
  if (requestedRevision(event) !== undefined)
    return { ...status, state: 'deploying', health: 'deploying', progress: 0 };
  if (isLive(event)) return { ...status, state: 'running', health: 'running', progress: 100 };
  if (isFailure(event)) return { ...status, state: 'failed', health: 'failed' };
  if (event.kind !== 'progress' || status.state !== 'deploying') return status;
  const pulls = new Map(event.pulling?.map(({ pod, ...pulling }) => [pod, pulling]));
  const pods = status.pods?.map((pod) => {
    const pulling = pod.state === 'waiting' ? pulls.get(pod.name) : undefined;
    return pulling ? { ...pod, pulling } : pod;
  });
  return { ...status, progress: Math.max(status.progress, event.progress), ...(pods && { pods }) };
}

/**
 * Returns whether the event requires a new status: a state has changed, or an intent was accepted. The service reports
 * the current condition of pods and disks; the event's own may be outdated.
 */
export function callsForStatus({ kind }: Pick<StreamedEvent, 'kind'>): boolean {
  return kind === 'state' || kind === 'intent' || kind === 'pod' || kind === 'disk';
}
