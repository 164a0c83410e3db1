/** PURE. The revisions of a deployment as its owner looks back at them: what became of each, and what it has changed. */
import { isDeepStrictEqual } from 'node:util';
import type { PodSpec } from '../config/spec/spec.ts';
import type { Instant, Revision } from './deployment.ts';

/** As what somebody has asked: with a session token, with an account's API key, or signed in with a browser. */
export const askers = ['session', 'api-key', 'sign-in'] as const;
export type Asker = (typeof askers)[number];

export type RevisionOutcome = 'running' | 'failed';

/** `superseded`: another one was asked for before it was ready. */
export const revisionStates = ['deploying', 'running', 'failed', 'superseded'] as const;
export type RevisionState = (typeof revisionStates)[number];

export type RevisionChanges = { added: string[]; changed: string[]; removed: string[] };

/** @param current The number of the last revision. */
export function stateOfRevision(
  { number, outcome }: { number: number; outcome: RevisionOutcome | null },
  current: number,
): RevisionState {
  return outcome ?? (number === current ? 'deploying' : 'superseded');
}

/** What becomes of a revision is told once; one that recovers has become ready after all. */
export function isFirstOutcome(known: RevisionOutcome | null, outcome: RevisionOutcome): boolean {
  return known === null || (known === 'failed' && outcome === 'running');
}

/** Names of pods. One whose tag means another image by now has changed as well, where both images are known. */
export function changesBetween(
  before: Pick<Revision, 'spec' | 'images'>,
  after: Pick<Revision, 'spec' | 'images'>,
): RevisionChanges {
  const earlier = new Map(before.spec.pods.map((pod) => [pod.name, pod]));
  const later = new Set(after.spec.pods.map(({ name }) => name));
  return {
    added: after.spec.pods.flatMap(({ name }) => (earlier.has(name) ? [] : [name])),
    changed: after.spec.pods.flatMap((pod) => {
      const known = earlier.get(pod.name);
      return known && !(isDeepStrictEqual(known, pod) && !hasMoved(pod)) ? [pod.name] : [];
    }),
    removed: before.spec.pods.flatMap(({ name }) => (later.has(name) ? [] : [name])),
  };

  function hasMoved({ image }: PodSpec): boolean {
    const [then, now] = [before.images?.[image], after.images?.[image]];
    return then !== undefined && now !== undefined && then !== now;
  }
}

type Kept = { number: number; outcome: RevisionOutcome | null };

/**
 * The revision that somebody means who says none: the last one before the current one that became ready. Undefined where
 * there is none.
 */
export function revisionBefore(kept: readonly Kept[], current: number): number | undefined {
  const ready = kept.filter(({ number, outcome }) => number < current && outcome === 'running');
  return ready.length === 0 ? undefined : Math.max(...ready.map(({ number }) => number));
}

/** Milliseconds from when it was asked for; undefined while it is on its way, and when that was not noted. */
export function durationMs({ createdAt, settledAt }: { createdAt: Instant; settledAt: Instant | null }) {
  return settledAt === null ? undefined : Math.max(0, settledAt - createdAt);
}
