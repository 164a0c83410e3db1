/** PURE. Explanations of a deployment's state, as values, and their sentences. */
import type { Static, TObject } from 'typebox';
import type { reasonFields } from '../event/event.ts';

/** A problem. `because` and `repeated` are parts of a sentence. `repeated` changes while the reason stays the same. */
export type Reason = Static<TObject<typeof reasonFields>>;

export type Explanation =
  /** An image is being built from source. `step`: the current step, such as `step 4 of 9, RUN npm ci`. */
  | { kind: 'building'; image: string; step: string | null }
  | ({ kind: 'tried-again' } & Reason)
  /** `servingRevision`: the earlier revision that still serves. */
  | ({ kind: 'failed'; servingRevision?: number } & Reason)
  | { kind: 'ended'; because: 'removed' | 'expired' };

/** Returns the explanation as text; empty without an explanation. */
export function describeExplanation(explanation: Explanation | null): string {
  switch (explanation?.kind) {
    case undefined:
      return '';
    case 'building':
      return `Building ${explanation.image}${explanation.step === null ? '' : `: ${explanation.step}`}`;
    case 'tried-again':
      return `${describeReason(explanation)}. It will be tried again; what is running keeps running.`;
    case 'failed': {
      const { servingRevision } = explanation;
      return `${describeReason(explanation)}${servingRevision === undefined ? '' : `; revision ${servingRevision} still serves`}`;
    }
    case 'ended':
      return explanation.because === 'removed' ? 'removed' : 'its time limit was reached';
  }
}

/** `pod web: exited with code 1 (its last lines may say why)`. */
export function describeReason({ pods, because, repeated, hint }: Reason): string {
  const subject = pods.length === 0 ? '' : `${pods.length > 1 ? 'pods' : 'pod'} ${pods.join(', ')}: `;
  const times = repeated === undefined ? '' : `${repeated}, `;
  return `${subject}${times}${because}${hint === undefined ? '' : ` (${hint})`}`;
}

/** Returns the reason with changed texts, for example without secrets. */
export function withMessage(
  { pods, because, repeated, hint, advice }: Reason,
  change: (words: string) => string,
): Reason {
  return {
    pods,
    because: change(because),
    ...(repeated !== undefined && { repeated }),
    ...(hint !== undefined && { hint: change(hint) }),
    ...(advice && { advice }),
  };
}

/** Returns whether both are failures for the same reason, ignoring the number of repetitions. */
export function isSameFailure(one: Explanation | null, other: Explanation): boolean {
  if (one?.kind !== 'failed' || other.kind !== 'failed') return false;
  const facts = ({ pods, because, hint, servingRevision }: Extract<Explanation, { kind: 'failed' }>) =>
    JSON.stringify([pods, because, hint, servingRevision]);
  return facts(one) === facts(other);
}
