/** What is known of a deployment, kept up to date by its events. Pure. */
import type { Problem } from '../service/ask.ts';
import type { Connection } from '../service/follow.ts';
import type { Deployment, PodState, Status } from '../service/records.ts';
import type { Message } from '../service/server-sent.ts';
import { type DeploymentEvent, isFailure, isLive, readPodMessage, revisionAskedFor } from './story.ts';

export type Feed = {
  deployment?: Deployment;
  events: readonly DeploymentEvent[];
  connection: Connection;
  /** Why nothing is known of it. */
  problem?: Problem;
};

export const emptyFeed: Feed = { events: [], connection: 'connecting' };

/** More than anybody reads; a deployment that is repaired for weeks has more. */
const mostEvents = 2_000;

const kinds = new Set(['intent', 'operation', 'progress', 'pod', 'state', 'fault']);

/** Undefined for a message of another kind than this page knows. */
export function readEvent({ id, data }: Message): DeploymentEvent | undefined {
  try {
    const fields = JSON.parse(data) as Omit<DeploymentEvent, 'number'>;
    return kinds.has(fields.kind) ? { ...fields, number: Number(id) } : undefined;
  } catch {
    // Not of this service's making.
    return undefined;
  }
}

export function addEvents(feed: Feed, come: readonly DeploymentEvent[]): Feed {
  const last = feed.events.at(-1)?.number ?? 0;
  const news = come.filter(({ number }) => number > last);
  if (news.length === 0) return feed;
  const events = [...feed.events, ...news].slice(-mostEvents);
  return { ...feed, events, ...(feed.deployment && { deployment: updated(feed.deployment, news) }) };
}

/** What events say of the status until the service has been asked for it again. */
function updated(deployment: Deployment, events: readonly DeploymentEvent[]): Deployment {
  return { ...deployment, status: events.reduce(withEvent, deployment.status) };
}

function withEvent(status: Status, event: DeploymentEvent): Status {
  if (revisionAskedFor(event) !== undefined) return { ...status, state: 'deploying', progress: 0 };
  if (isLive(event)) return { ...status, state: 'running', progress: 100 };
  if (isFailure(event)) return { ...status, state: 'failed' };
  if (event.kind === 'pod') return { ...status, pods: withPod(status.pods ?? [], event) };
  const isGrowing = event.kind === 'progress' && status.state === 'deploying';
  return isGrowing ? { ...status, progress: Math.max(status.progress, Number(event.message)) } : status;
}

function withPod(pods: PodState[], { pod, message }: DeploymentEvent): PodState[] {
  if (pod === undefined) return pods;
  const { state, because } = readPodMessage(message);
  const said: PodState = { name: pod, state, ...(because !== undefined && { message: because }) };
  return pods.some(({ name }) => name === pod) ? pods.map((one) => (one.name === pod ? said : one)) : [...pods, said];
}

/** Whether there is more to it than its own words: the state has changed, or something was asked for. */
export function callsForStatus({ kind }: DeploymentEvent): boolean {
  return kind === 'state' || kind === 'intent';
}
