/** Descriptions of a revision. Pure. */
import { capitalised } from '../parts/capitalised.ts';
import { printSpan } from '../parts/time.ts';
import type { Revision } from '../service/records.ts';

type RevisionOutcome = Pick<Revision, 'state' | 'isServing' | 'durationMs'>;

/** Returns one word, and the tone of its badge. */
export function badgeOf({ state, isServing }: RevisionOutcome): { word: string; tone: string } {
  if (isServing) return { word: 'live', tone: 'running' };
  if (state === 'running') return { word: 'replaced', tone: 'replaced' };
  return { word: state, tone: state };
}

/** `ready after 2.3 s`; undefined while nothing has become of it. */
export function outcomeOf({ state, durationMs }: RevisionOutcome): string | undefined {
  const after = durationMs === undefined ? '' : ` after ${printSpan(durationMs)}`;
  switch (state) {
    case 'running':
      return `ready${after}`;
    case 'failed':
      return `failed${after}`;
    case 'superseded':
      return 'replaced by another before it was ready';
    case 'deploying':
      return undefined;
  }
}

/** How the client of a revision was authenticated. */
export const authMethodTexts: Record<Revision['askedBy'], string> = {
  session: 'with a session token',
  'api-key': 'with an API key',
  'sign-in': 'by a signed-in user',
};

/** Prints `Changes web, adds redis`. Undefined if the previous revision was deleted. */
export function changesOf({ number, changes, repeats }: Pick<Revision, 'number' | 'changes' | 'repeats'>) {
  if (number === 1) return 'The first one';
  const { added = [], changed = [], removed = [] } = changes ?? {};
  const reported = [...say('changes', changed), ...say('adds', added), ...say('removes', removed)];
  if (changes && reported.length === 0) reported.push('changes no pod');
  if (repeats !== undefined) reported.push(`has the same text as revision ${repeats}`);
  return reported.length === 0 ? undefined : capitalised(reported.join(', '));
}

function say(does: string, pods: readonly string[]): string[] {
  return pods.length === 0 ? [] : [`${does} ${pods.join(' and ')}`];
}

/** Two revisions, by number. */
export type Pair = { from: number; to: number };

/** The pair to compare by default: the failed revision and the serving one, or the last change. */
export function usualPair(
  revisions: readonly Pick<Revision, 'number' | 'isServing' | 'isCurrent'>[],
): Pair | undefined {
  const current = revisions.find(({ isCurrent }) => isCurrent)?.number;
  if (current === undefined) return undefined;
  const serving = revisions.find(({ isServing }) => isServing)?.number;
  const before = serving !== undefined && serving !== current ? serving : earlierThan(revisions, current);
  return before === undefined ? undefined : { from: before, to: current };
}

/** Returns the last stored revision before it. */
export function earlierThan(revisions: readonly Pick<Revision, 'number'>[], number: number): number | undefined {
  const earlier = revisions.map((each) => each.number).filter((each) => each < number);
  return earlier.length === 0 ? undefined : Math.max(...earlier);
}

/** The shown comparison, as in the address of the page, so that a link shows the same. */
export type Shown = { pair?: Pair; back?: number };

export function shownIn(query: string): Shown {
  const given = new URLSearchParams(query);
  const [from, to, back] = ['from', 'to', 'back'].map((name) => numberIn(given.get(name)));
  return { ...(from && to && { pair: { from, to } }), ...(back && { back }) };
}

/** Returns the query with its question mark. */
export function withShown({ pair, back }: Shown): string {
  if (back !== undefined) return `?back=${back}`;
  return pair ? `?from=${pair.from}&to=${pair.to}` : '';
}

function numberIn(text: string | null): number | undefined {
  const number = Number(text);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}
