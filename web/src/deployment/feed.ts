/** What is known of a deployment, kept up to date by its events. Pure. */

import type { Message } from '../../../src/client/server-sent.ts';
import type { Problem } from '../service/ask.ts';
import type { Connection } from '../service/follow.ts';
import type { Deployment, Status } from '../service/records.ts';
import { isFailure, isLive, revisionAskedFor, type ToldEvent } from './story.ts';

export type Feed = {
  deployment?: Deployment;
  /** In the order in which they were last told. */
  events: readonly ToldEvent[];
  connection: Connection;
  /** Why nothing is known of it. */
  problem?: Problem;
};

export const emptyFeed: Feed = { events: [], connection: 'connecting' };

/** More than anybody reads; a deployment that is repaired for weeks has more. */
const maxEvents = 2_000;

/** Undefined for what is no event. One of a kind that this page does not know has a sentence all the same. */
export function readEvent({ id, data }: Message): ToldEvent | undefined {
  try {
    const fields = JSON.parse(data);
    const isEvent = typeof fields?.kind === 'string' && typeof fields.message === 'string';
    return isEvent ? { ...fields, sequence: Number(id) } : undefined;
  } catch {
    // Not of this service's making.
    return undefined;
  }
}

export function addEvents(feed: Feed, come: readonly ToldEvent[]): Feed {
  const last = feed.events.at(-1)?.sequence ?? 0;
  const news = come.filter(({ sequence }) => sequence > last);
  if (news.length === 0) return feed;
  // One that has happened again takes the place of what was told of it before.
  const latest = new Map(news.map((event) => [event.number, event.sequence]));
  const events = [...feed.events, ...news]
    .filter(({ number, sequence }) => (latest.get(number) ?? sequence) === sequence)
    .slice(-maxEvents);
  return { ...feed, events, ...(feed.deployment && { deployment: updated(feed.deployment, news) }) };
}

/** What events say of the status until the service has been asked for it again. */
function updated(deployment: Deployment, events: readonly ToldEvent[]): Deployment {
  return { ...deployment, status: events.reduce(withEvent, deployment.status) };
}

function withEvent(status: Status, event: ToldEvent): Status {
  if (revisionAskedFor(event) !== undefined) return { ...status, state: 'deploying', health: 'deploying', progress: 0 };
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
 * Whether there is more to it than its own words: a state has changed, or something was asked for. How a pod does, or
 * its disk, is the service's to say: what an event tells of it may not be so any more.
 */
export function callsForStatus({ kind }: Pick<ToldEvent, 'kind'>): boolean {
  return kind === 'state' || kind === 'intent' || kind === 'pod' || kind === 'disk';
}
