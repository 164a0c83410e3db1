/** PURE. The figures of what is measured against Compose. */

import { type Figure, type Section, spread } from './figures.ts';
import { ratioOf } from './statistics.ts';
import type { Visited } from './steady-load.ts';
import type { Times } from './time-to-live.ts';
import { perSecond, type Updates } from './updates.ts';

/** The names of the contenders, and what each of them is measured for. */
const spans = [
  { id: 'berth.answer', who: 'berth', what: 'answer', says: 'Berth: POST until its answer' },
  { id: 'berth.live', who: 'berth', what: 'live', says: 'Berth: POST until page and API answer 200' },
  { id: 'berth.page', who: 'berth', what: 'page', says: 'Berth: POST until the page answers 200' },
  {
    id: 'compose.up',
    who: 'compose up --wait',
    what: 'returns',
    says: 'Compose: up --wait (containers run, PostgreSQL need not accept)',
  },
  {
    id: 'compose.live',
    who: 'compose until live',
    what: 'live',
    says: 'Compose: up until page and API answer 200 (ports published)',
  },
  {
    id: 'compose.page',
    who: 'compose until live',
    what: 'page',
    says: 'Compose: up until the page answers 200 (ports published)',
  },
  {
    id: 'compose.healthy',
    who: 'compose up --wait, 1 s health checks',
    what: 'returns',
    says: 'Compose: up --wait with 1 s health checks',
  },
] as const;

const removals = [
  { id: 'berth.removal', who: 'berth', what: 'removal', says: 'Berth: removal until nothing is left on the engine' },
  { id: 'compose.removal', who: 'compose until live', what: 'removal', says: 'Compose: down --volumes' },
] as const;

const ratios = [
  { id: 'ratio.up', ours: 'berth.live', theirs: 'compose.up', says: 'live / Compose up --wait' },
  { id: 'ratio.live', ours: 'berth.live', theirs: 'compose.live', says: 'live / Compose until live' },
  { id: 'ratio.healthy', ours: 'berth.live', theirs: 'compose.healthy', says: 'live / Compose with health checks' },
  { id: 'ratio.removal', ours: 'berth.removal', theirs: 'compose.removal', says: 'removal / Compose down --volumes' },
] as const;

/** Omits its rows and ratios without Compose. */
export function timeSections(times: ReadonlyMap<string, Times[]>): Section[] {
  const row = ({ id, who, what, says }: (typeof spans | typeof removals)[number]): Figure[] => {
    const samples = times.get(who)?.map((round) => round[what]!) ?? [];
    if (samples.length === 0) return [];
    return [{ id, says, values: spread(samples), samples }];
  };
  const live = spans.flatMap(row);
  const gone = removals.flatMap(row);
  const samplesOf = (id: string) => [...live, ...gone].find((figure) => figure.id === id)?.samples;
  const compared = ratios.flatMap(({ id, ours, theirs, says }): Figure[] => {
    const [our, their] = [samplesOf(ours), samplesOf(theirs)];
    if (!our || !their) return [];
    const { ofMedians, medianOfPairs } = ratioOf(our, their);
    return [{ id, says, values: { 'of medians': ofMedians, 'median of pairs': medianOfPairs } }];
  });
  return [
    { title: 'Time to live', unit: 'ms', figures: live },
    { title: 'Removal', unit: 'ms', figures: gone },
    { title: 'Berth / Compose, less than 1: Berth is faster', unit: 'ratio', figures: compared },
  ];
}

/** Omits its rows and ratio without Compose. */
export function updateSections(ours: Updates, theirs: Updates | undefined): Section[] {
  const rows: [string, string, number[] | undefined][] = [
    ['update.berth', 'Berth: POST until the new revision answers', ours.live],
    ['update.compose', 'Compose: up --wait until the new revision answers', theirs?.live],
    ['update.compose-returns', 'Compose: up --wait until it returns', theirs?.returns],
  ];
  const failed = (id: string, says: string, visited: Visited | undefined): Figure[] =>
    visited ? [{ id, says, values: { failed: visited.failures.length, of: visited.count } }] : [];
  const ratio = (id: string, says: string, samples: number[]): Figure => {
    const { ofMedians, medianOfPairs } = ratioOf(ours.live, samples);
    return { id, says, values: { 'of medians': ofMedians, 'median of pairs': medianOfPairs } };
  };
  return [
    {
      title: `Rolling updates of one pod under ${perSecond} requests a second`,
      unit: 'ms',
      figures: rows.flatMap(([id, says, samples]) => (samples ? [{ id, says, values: spread(samples), samples }] : [])),
    },
    {
      title: 'Requests that failed during the updates (target for Berth: 0)',
      unit: 'mixed',
      figures: [
        ...failed('update.berth-failed', `Berth: ${ours.live.length} updates`, ours.visited),
        ...failed('update.compose-failed', `Compose: ${theirs?.live.length} updates`, theirs?.visited),
      ],
    },
    {
      title: 'Update, Berth / Compose, less than 1: Berth is faster',
      unit: 'ratio',
      figures: theirs
        ? [
            ratio('ratio.update', 'new revision answers / Compose: new revision answers', theirs.live),
            ratio('ratio.update-returns', 'new revision answers / Compose up --wait', theirs.returns),
          ]
        : [],
    },
  ];
}
