/** PURE. The figures of the benchmark, from what was measured: which rows there are and what each one says. */
import type { CertificateTimes } from './certificates.ts';
import type { CommandTimes } from './command-line.ts';
import type { Density } from './density.ts';
import type { GuardTimes, Lateness } from './guards.ts';
import type { Latencies } from './latency.ts';
import type { LoopCost } from './loop.ts';
import type { NeighbourTimes, Window } from './neighbour.ts';
import type { RenewalTimes } from './renewals.ts';
import { median, percentile, ratioOf } from './statistics.ts';
import type { StoreTimes } from './store.ts';

/** One row of a table and one line of JSON; `values` in the order of the columns. */
export type Figure = { id: string; says: string; values: Record<string, number>; samples?: number[] };

/** `mixed`: each row says its own unit. */
export type Section = { title: string; unit: 'ms' | 'ratio' | 'mixed'; figures: Figure[] };

const mebibyte = 2 ** 20;
/** The number of first and last times to live that are compared. */
const ends = 10;

export function densitySection(density: Density, idleSeconds: number): Section {
  const { live, answering, idleShare, serviceBytes, bytesEach, removalMs, left } = density;
  const count = live.length;
  const [first, last] = [median(live.slice(0, ends)), median(live.slice(-ends))];
  const row = (id: string, says: string, measured: number, target?: number): Figure => ({
    id: `density.${id}`,
    says,
    values: { measured, target: target ?? Number.NaN },
  });
  return {
    title: `${count} deployments of one small container each`,
    unit: 'mixed',
    figures: [
      row('live', 'pages that answer 200 when all have been started', answering, count),
      row('first', `time to live of the first ${ends}, median, ms`, first),
      row('last', `time to live of the last ${ends}, median, ms`, last),
      row('growth', 'the last / the first, at most', last / first, 1.5),
      row('idle', `processor of the service, ${idleSeconds} s of idling, % of one, at most`, idleShare * 100, 5),
      row('service-memory', 'memory of the service, MiB', serviceBytes / mebibyte),
      row('memory-each', 'memory of a container, mean, MiB', bytesEach / mebibyte),
      row('removal', 'removal of all until nothing is left, ms', removalMs),
      row('left', 'containers, networks and volumes that are left', left, 0),
    ],
  };
}

/** In absolute figures, and compared with the first of them. */
export function loopSections(costs: LoopCost[]): Section[] {
  return [...Map.groupBy(costs, ({ database }) => database)].flatMap(([database, some]) =>
    loopSectionsOn(database, some),
  );
}

function loopSectionsOn(database: LoopCost['database'], costs: LoopCost[]): Section[] {
  const name = database === 'SQLite' ? 'loop' : 'loop-postgresql';
  const rows: [string, string, (cost: LoopCost) => number][] = [
    ['idle', 'processor while nothing happens, % of one', ({ idleShare }) => idleShare * 100],
    ['checks', 'processor for as many health checks by request, % of one', ({ checksShare }) => checksShare * 100],
    ['survey', 'a survey and its sweep, median, ms', ({ surveyMs }) => median(surveyMs)],
    ['visit', 'a visit that finds all well, one of many at once, ms', ({ visitMs }) => visitMs],
    ['live', 'a start until its route is live, median, ms', ({ liveMs }) => median(liveMs)],
    ['memory', 'memory of the process and its engine, MiB', ({ residentBytes }) => residentBytes / mebibyte],
    ['each', 'memory that comes with each deployment, KiB', ({ bytesEach }) => bytesEach / 1024],
  ];
  if (database === 'PostgreSQL')
    rows.splice(1, 0, [
      'server',
      'processor of PostgreSQL during the loop, % of one',
      ({ serverShare }) => serverShare * 100,
    ]);
  const first = costs[0]!;
  const figures = (prefix: string, value: (of: (cost: LoopCost) => number, cost: LoopCost) => number) =>
    rows.map(([id, says, of]): Figure => {
      const values = costs.map((cost) => [`with ${cost.deployments}`, value(of, cost)] as const);
      return { id: `${prefix}.${id}`, says, values: Object.fromEntries(values) };
    });
  return [
    {
      title: `The control loop on the engine in memory and ${database}, with so many live deployments`,
      unit: 'mixed',
      figures: figures(name, (of, cost) => of(cost)),
    },
    {
      title: `The same, compared with ${first.deployments} deployments`,
      unit: 'ratio',
      figures: figures(`ratio.${name}`, (of, cost) => of(cost) / of(first)),
    },
  ];
}

function latenessOf({ p99, longest, turn }: Lateness): Figure['values'] {
  return { p99, longest, 'processor time': turn };
}

export function guardSection({ readMs, quiet, attacked, answers }: GuardTimes): Section {
  const answered = Object.entries(answers).map(([status, times]) => `${times} × ${status}`);
  return {
    title: `How late the timers of the guards come, with 100 configurations of 200 KB a second (${answered.join(', ')})`,
    unit: 'ms',
    figures: [
      { id: 'guards.quiet', says: 'nothing under way', values: latenessOf(quiet) },
      { id: 'guards.attacked', says: 'under the attack', values: latenessOf(attacked) },
      {
        id: 'guards.read',
        says: 'one such configuration, read on the thread of the guards',
        values: latenessOf({ p99: Number.NaN, longest: Number.NaN, turn: Math.max(...readMs) }),
      },
    ],
  };
}

export function commandSection({ node, help, validate }: CommandTimes): Section {
  const row = (id: string, says: string, samples: number[]): Figure => ({
    id,
    says,
    samples,
    values: { median: median(samples), longest: Math.max(...samples) },
  });
  return {
    title: 'The command line, from its start to its end',
    unit: 'ms',
    figures: [
      row('cli.node', 'Node alone', node),
      row('cli.help', 'berth --help', help),
      row('cli.validate', 'berth validate with the guestbook', validate),
    ],
  };
}

export function latencySection(latencies: Latencies): Section {
  const rows: [string, string, number[]][] = [
    ['latency.start', 'POST /startUserDeployment, one small pod, nothing else under way', latencies.startAlone],
    ['latency.start-busy', 'the same while two others come up or go away', latencies.startBusy],
    ['latency.validate', 'POST /validate with the guestbook', latencies.validate],
    ['latency.health', 'GET /healthz', latencies.health],
  ];
  return {
    title: 'Latency of the API, through HAProxy, each request on a connection of its own',
    unit: 'ms',
    figures: rows.map(([id, says, samples]) => ({ id, says, values: tail(samples) })),
  };
}

export function storeSections(stores: StoreTimes[]): Section[] {
  const kinds = [
    ['start', 'POST /startUserDeployment'],
    ['update', 'POST /updateUserDeployment'],
    ['list', 'GET /getReservations'],
  ] as const;
  const figures = stores.flatMap((times) =>
    kinds.map(([kind, says]) => ({
      id: `store.${times.database.toLowerCase()}.${kind}`,
      says: `${says}, ${times.database}`,
      values: tail(times[kind]),
    })),
  );
  return [{ title: 'The API on its store, without network and engine, one request at a time', unit: 'ms', figures }];
}

export function certificateSection({ count, startMs, takeOverMs, oneMoreMs, bytes }: CertificateTimes): Section {
  const row = (id: string, says: string, measured: number, target = Number.NaN): Figure => ({
    id: `certificates.${id}`,
    says,
    values: { measured, target },
  });
  return {
    title: `An edge with ${count} certificates`,
    unit: 'mixed',
    figures: [
      row('start', 'start of the edge, ms, at most', startMs, 10_000),
      row('take-over', 'taking over a HAProxy that serves them, ms', takeOverMs),
      row('one-more', 'one more is served, median, ms, at most', median(oneMoreMs), 50),
      row('one-more-p99', 'one more is served, 99th percentile, ms', percentile(oneMoreMs, 0.99)),
      row('memory-few', 'memory of HAProxy with one, MiB', bytes.few / mebibyte),
      row('memory', 'memory of HAProxy with all, MiB', bytes.all / mebibyte),
    ],
  };
}

export function renewalSection({ fresh, kept, connections, asPerSecond, replaced }: RenewalTimes): Section {
  const row = (id: string, says: string, measured: number, target = Number.NaN): Figure => ({
    id: `renewals.${id}`,
    says,
    values: { measured, target },
  });
  return {
    title: `${fresh.asked + kept.asked} requests while ${replaced} certificates were replaced`,
    unit: 'mixed',
    figures: [
      row('failed', 'that failed, at most', fresh.failed + kept.failed, 0),
      row('rate', 'a second, at least', fresh.perSecond + kept.perSecond, asPerSecond * 0.95),
      row('fresh', 'of these with a handshake each, a second', fresh.perSecond),
      row('kept', `on ${connections} connections from before, a second`, kept.perSecond),
      row('handshake', 'handshake, median, ms', median(fresh.tookMs)),
      row('handshake-p99', 'handshake, 99th percentile, ms', percentile(fresh.tookMs, 0.99)),
      row('answer', 'answer on a kept connection, median, ms', median(kept.tookMs)),
      row('answer-p99', 'answer on a kept connection, 99th percentile, ms', percentile(kept.tookMs, 0.99)),
    ],
  };
}

/** Compares the 99th percentile: of all answers, and of each window with the one before it. */
export function neighbourSections({ quiet, attacked }: NeighbourTimes): Section[] {
  const of = (windows: Window[], kind: keyof Window) => windows.map((window) => window[kind]);
  const rows = (['site', 'api'] as const).map((kind) => {
    const [calm, fierce] = [of(quiet, kind), of(attacked, kind)];
    return { kind, calm, fierce, who: kind === 'site' ? "a neighbour's site" : 'GET /healthz of the API' };
  });
  const latencies = rows.flatMap(({ kind, calm, fierce, who }) => [
    { id: `neighbour.${kind}.quiet`, says: `${who}, in quiet`, values: tail(calm.flat()) },
    { id: `neighbour.${kind}.attacked`, says: `${who}, while another deployment attacks`, values: tail(fierce.flat()) },
  ]);
  const p99 = (samples: number[]) => percentile(samples, 0.99);
  const ratios = rows.map(({ kind, calm, fierce, who }) => ({
    id: `ratio.neighbour.${kind}`,
    says: who,
    values: {
      'of p99s': p99(fierce.flat()) / p99(calm.flat()),
      'median of pairs': ratioOf(fierce.map(p99), calm.map(p99)).medianOfPairs,
    },
  }));
  return [
    { title: 'During an attack (fork bomb, memory, disk, connections)', unit: 'ms', figures: latencies },
    { title: 'Attacked / quiet, 99th percentiles', unit: 'ratio', figures: ratios },
  ];
}

export function spread(samples: number[]): Record<string, number> {
  return { median: median(samples), min: Math.min(...samples), max: Math.max(...samples), n: samples.length };
}

export function tail(samples: number[]): Record<string, number> {
  const [p50, p99] = [percentile(samples, 0.5), percentile(samples, 0.99)];
  return { p50, p99, max: Math.max(...samples), n: samples.length };
}
