/** PURE. The figures of pulls: what Berth takes from a registry until a page answers, and the engine by itself. */
import { type Figure, type Section, spread } from './figures.ts';
import type { ImageTimes } from './images.ts';
import { ratioOf } from './statistics.ts';

const mebibyte = 2 ** 20;

export function imageSections({ sentBytes, own, unpacked, cold, warm, here, memoryBytes }: ImageTimes): Section[] {
  const size = `${Math.round(sentBytes / 1e6)} MB`;
  const rows: [string, string, number[]][] = [
    ['images.own', `the engine's own pull of an image of ${size}`, own],
    ['images.unpacked', 'the same of layers as they unpack, out of memory', unpacked],
    ['images.cold', 'Berth: POST until it answers, the image is new to this machine', cold],
    ['images.warm', 'Berth: POST until it answers, the engine has lost the image', warm],
    ['images.here', 'Berth: POST until it answers, the engine has the image', here],
  ];
  /** The estimated time if the engine pulled by itself. */
  const ownStarted = own.map((ms, round) => ms + here[round]!);
  /** The engine's part, which is the same for every source of the layers. */
  const unpackedStarted = unpacked.map((ms, round) => ms + here[round]!);
  const ratio = (id: string, says: string, ours: number[], theirs: number[]): Figure => {
    const { ofMedians, medianOfPairs } = ratioOf(ours, theirs);
    return { id, says, values: { 'of medians': ofMedians, 'median of pairs': medianOfPairs } };
  };
  const memory = (id: string, says: string, bytes: number): Figure => ({
    id,
    says,
    values: { MiB: bytes / mebibyte },
  });
  return [
    {
      title: 'Pulls from a registry on this machine',
      unit: 'ms',
      figures: rows.map(([id, says, samples]) => ({ id, says, values: spread(samples), samples })),
    },
    {
      title: "Live / the engine's own pull",
      unit: 'ratio',
      figures: [
        ratio('ratio.cold', 'the image is new to this machine', cold, own),
        ratio('ratio.warm', 'it was lost', warm, own),
      ],
    },
    {
      title: "Live / the engine's own pull, and live with the image then",
      unit: 'ratio',
      figures: [
        ratio('ratio.cold.started', 'the image is new to this machine', cold, ownStarted),
        ratio('ratio.warm.started', 'it was lost', warm, ownStarted),
      ],
    },
    {
      title: "Live / the engine's pull of layers as they unpack, out of memory, and live with the image then",
      unit: 'ratio',
      figures: [
        ratio('ratio.cold.least', 'the image is new to this machine', cold, unpackedStarted),
        ratio('ratio.warm.least', 'it was lost', warm, unpackedStarted),
        ratio('ratio.least', 'nothing of Berth but what goes live / its own pull', unpackedStarted, own),
      ],
    },
    {
      title: 'Most memory of the service',
      unit: 'mixed',
      figures: [
        memory('images.memory.before', 'before', memoryBytes.before),
        memory('images.memory.after', 'after all pulls', memoryBytes.after),
      ],
    },
  ];
}
