/** PURE. The history of a deployment's revisions: their outcomes and changes. */
import { isDeepStrictEqual } from 'node:util';
import type { PodSpec } from '../config/spec/spec.ts';
import type { Instant, Revision } from './deployment.ts';

/** How a request was authorized: by a session token, an account's API key, or a browser sign-in. */
export const authMethods = ['session', 'api-key', 'sign-in'] as const;
export type AuthMethod = (typeof authMethods)[number];

/** The Git commit that a revision was made from. `ref`: the branch, the tag, or the hash that was requested. */
export type SourceCommit = { hash: string; ref: string; author: string; subject: string };

export type RevisionOutcome = 'running' | 'failed';

/** `superseded`: a later revision was requested before it was ready. */
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

/** Returns whether the outcome is stored: the first one, or `running` after a failure. */
export function isFirstOutcome(known: RevisionOutcome | null, outcome: RevisionOutcome): boolean {
  return known === null || (known === 'failed' && outcome === 'running');
}

/**
 * Returns the names of added, changed and removed pods. A pod also counts as changed if its tag has another digest, if
 * both are known.
 */
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

type StoredOutcome = { number: number; outcome: RevisionOutcome | null };

/**
 * Returns the default revision of a rollback: the last one before the current one that became ready. Undefined if no
 * earlier revision did.
 */
export function revisionBefore(kept: readonly StoredOutcome[], current: number): number | undefined {
  const ready = kept.filter(({ number, outcome }) => number < current && outcome === 'running');
  return ready.length === 0 ? undefined : Math.max(...ready.map(({ number }) => number));
}

/** Returns the milliseconds until the outcome; undefined before the outcome, or if its time is unknown. */
export function durationMs({ createdAt, settledAt }: { createdAt: Instant; settledAt: Instant | null }) {
  return settledAt === null ? undefined : Math.max(0, settledAt - createdAt);
}
