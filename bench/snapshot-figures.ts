/** PURE. The figures of snapshots, as `figures.ts` has those of the rest. */
import { type Figure, type Section, tail } from './figures.ts';
import type { SnapshotTimes, Window } from './snapshots.ts';
import { median, percentile, ratioOf } from './statistics.ts';

export function snapshotSections(times: SnapshotTimes): Section[] {
  const { megabytes, first, next, scattered, quiet, duringSnapshot, duringLoop, restores } = times;
  const of = (windows: readonly Window[], kind: keyof Window) => windows.map((window) => window[kind]);
  const p99 = (samples: readonly number[]) => percentile(samples, 0.99);
  const kinds = [
    { kind: 'reads', says: 'a page that is read from the volume' },
    { kind: 'writes', says: 'a line that is synced to the volume' },
  ] as const;
  const row = (id: string, says: string, measured: number): Figure => ({
    id: `snapshots.${id}`,
    says,
    values: { measured },
  });
  return [
    {
      title: `Snapshots of a volume with ${megabytes} MB, of which 1 % has changed`,
      unit: 'mixed',
      figures: [
        row('first-seconds', 'the first one, until it is kept and checked, s', first.seconds),
        row('seconds', 'each next one, median, s', median(next.map(({ seconds }) => seconds))),
        row('total', 'what is in it, MB', median(next.map(({ totalBytes }) => totalBytes)) / 1e6),
        row('added', 'what of it was new, and moved, MB', median(next.map(({ addedBytes }) => addedBytes)) / 1e6),
        row('scattered', 'where 1 % of every file has changed, MB', scattered.addedBytes / 1e6),
        row('paused', 'writers waited, median, ms', median(next.map(({ pausedMs }) => pausedMs))),
      ],
    },
    {
      title: `Restores of these ${megabytes} MB, until the application answers`,
      unit: 'mixed',
      figures: [
        row('restored', 'in place of what is there, s', restores.inPlaceSeconds),
        row('away', 'of these, the longest without an answer, s', restores.awaySeconds),
        row('restored-new', 'as a new deployment, s', restores.newSeconds),
      ],
    },
    {
      title: 'Answers of the application',
      unit: 'ms',
      figures: kinds.flatMap(({ kind, says }) => [
        { id: `snapshots.${kind}.quiet`, says: `${says}, in quiet`, values: tail(of(quiet, kind).flat()) },
        {
          id: `snapshots.${kind}.duringSnapshot`,
          says: `${says}, during a snapshot`,
          values: tail(of(duringSnapshot, kind).flat()),
        },
      ]),
    },
    {
      title: 'During a snapshot or a loop / in quiet, 99th percentiles',
      unit: 'ratio',
      figures: [
        { id: 'snapshots', condition: 'during a snapshot', windows: duringSnapshot },
        { id: 'loop', condition: 'during a loop with idle priority on one processor', windows: duringLoop },
      ].flatMap(({ id, condition, windows }) =>
        kinds.map(({ kind, says }) => ({
          id: `ratio.${id}.${kind}`,
          says: `${says}, ${condition}`,
          values: {
            'of p99s': p99(of(windows, kind).flat()) / p99(of(quiet, kind).flat()),
            'median of pairs': ratioOf(of(windows, kind).map(p99), of(quiet, kind).map(p99)).medianOfPairs,
          },
        })),
      ),
    },
  ];
}
