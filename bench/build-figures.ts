/** PURE. The figures of builds from source. */
import { type Figure, type Section, spread } from './figures.ts';
import { ratioOf } from './statistics.ts';
import type { Times } from './time-to-live.ts';

const kinds = [
  { id: 'cold', says: 'new source, no layer cache' },
  { id: 'warm', says: 'one file changed, earlier layers cached' },
  { id: 'unchanged', says: 'the same source again' },
] as const;

export function buildSections(ours: Times[], theirs: Times[]): Section[] {
  const of = (times: Times[], id: string) => times.map((each) => each[id]!);
  const row = (who: string, prefix: string, times: Times[]) =>
    kinds.map(({ id, says }): Figure => {
      const samples = of(times, id);
      return { id: `builds.${prefix}.${id}`, says: `${who}: ${says}`, values: spread(samples), samples };
    });
  return [
    {
      title: 'From source to a page',
      unit: 'ms',
      figures: [...row('Berth', 'berth', ours), ...row('docker build + docker run', 'docker', theirs)],
    },
    {
      title: 'Berth / docker build + docker run',
      unit: 'ratio',
      figures: kinds.map(({ id, says }) => {
        const { ofMedians, medianOfPairs } = ratioOf(of(ours, id), of(theirs, id));
        return {
          id: `ratio.builds.${id}`,
          says,
          values: { 'of medians': ofMedians, 'median of pairs': medianOfPairs },
        };
      }),
    },
  ];
}
