/** The progress of building and pushing an image. On a terminal, it is one line that is overwritten. */
import type { Writable } from 'node:stream';
import { largestPaths } from '../../push/layers/folder-listing.ts';
import type { PushStep } from '../../push/push-image.ts';
import { type Paint, printable } from '../render.ts';

/** A larger build context is usually a mistake. */
const largeBytes = 50 * 10 ** 6;

export type Progress = {
  step(step: PushStep): void;
  /** Ends a line that would be written over. */
  end(): void;
};

type Watched = { stderr: Writable; isWatched: boolean; isVerbose: boolean; paint: Paint };

export function createProgress({ stderr, isWatched, isVerbose, paint }: Watched): Progress {
  let isOpen = false;
  const end = () => {
    if (isOpen) stderr.write('\n');
    isOpen = false;
  };
  const line = (text: string) => {
    end();
    stderr.write(`${text}\n`);
  };
  return {
    end,
    step(step) {
      const image = printable(step.image);
      switch (step.kind) {
        case 'build':
          return line(`Building ${image}`);
        case 'pull':
          return line(`Pulling ${printable(step.base)} for ${image}`);
        case 'prepare':
          return line(`Pushing ${image}`);
        case 'build-line':
          if (isVerbose) line(paint('dim', `  ${printable(step.line)}`));
          return;
        case 'context': {
          const { sizeBytes, entries } = step.context;
          if (sizeBytes < largeBytes) return;
          line(
            `  The context has ${printSize(sizeBytes)}; .dockerignore keeps out what the build does not need. Largest:`,
          );
          for (const { path, sizeBytes: size } of largestPaths(entries, 5))
            line(`    ${printSize(size).padStart(9)}  ${printable(path)}`);
          return;
        }
        case 'bytes':
          if (!isWatched) return;
          isOpen = true;
          stderr.write(`\r  ${printSize(step.sentBytes)} of ${printSize(step.ofBytes)}  `);
      }
    },
  };
}

/** `5.2 MB` */
export function printSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
