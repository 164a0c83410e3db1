/** PURE. Derives the builds of a deployment from its events. */
import type { StreamedEvent } from '../deployment/event-text.ts';

export type BuildSummary = {
  revision: number;
  state: 'building' | 'built' | 'failed';
  /** How long the build took. */
  seconds?: number;
};

/** Returns one summary for each built revision, the oldest first. */
export function buildsIn(events: readonly StreamedEvent[]): BuildSummary[] {
  const builds = new Map<number, BuildSummary>();
  for (const event of events) {
    if (event.kind !== 'build') continue;
    const { revision } = event;
    if (event.build === 'done') builds.set(revision, { revision, state: 'built', seconds: event.seconds });
    else if (event.build === 'failed') builds.set(revision, { revision, state: 'failed' });
    else if (!builds.has(revision)) builds.set(revision, { revision, state: 'building' });
  }
  return [...builds.values()];
}
