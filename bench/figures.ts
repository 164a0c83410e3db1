/** PURE. The figures of the benchmark, from what was measured: which rows there are and what each one says. */
import type { Latencies } from './latency.ts';
import { median, percentile, ratioOf } from './statistics.ts';
import type { Times } from './time-to-live.ts';

/** One row of a table and one line of JSON; `values` in the order of the columns. */
export type Figure = { id: string; says: string; values: Record<string, number>; samples?: number[] };

export type Section = { title: string; unit: 'ms' | 'ratio'; figures: Figure[] };

/** The names of the contenders, and what each of them is measured for. */
const spans = [
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

/** Without Compose there are no rows of it, and no ratios. */
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

/** `guestbook`: the answers to the starts of the time to live, whose document is a real one. */
export function latencySection(latencies: Latencies, guestbook: number[]): Section {
  const rows: [string, string, number[]][] = [
    ['latency.start', 'POST /startUserDeployment, one small pod, nothing else under way', latencies.startAlone],
    ['latency.start-busy', 'the same while two others come up or go away', latencies.startBusy],
    ['latency.start-guestbook', 'the same with the guestbook, at the beginning of each round above', guestbook],
    ['latency.validate', 'POST /validate with the guestbook', latencies.validate],
    ['latency.health', 'GET /healthz', latencies.health],
  ];
  return {
    title: 'Latency of the API, through HAProxy, each request on a connection of its own',
    unit: 'ms',
    figures: rows.map(([id, says, samples]) => ({ id, says, values: tail(samples) })),
  };
}

function spread(samples: number[]): Record<string, number> {
  return { median: median(samples), min: Math.min(...samples), max: Math.max(...samples), n: samples.length };
}

function tail(samples: number[]): Record<string, number> {
  const [p50, p99] = [percentile(samples, 0.5), percentile(samples, 0.99)];
  return { p50, p99, max: Math.max(...samples), n: samples.length };
}
