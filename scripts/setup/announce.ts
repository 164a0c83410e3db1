/** Prints the progress of the set-up: one line for each step, none for completed steps. */

export type Announce = <T>(what: string, work: () => Promise<T>) => Promise<T>;

/** The set-up cannot continue. Its message says what the user at the terminal can do. */
export class SetUpError extends Error {
  override name = 'SetUpError';
}

/** @param stream where the lines go; the start and the end of a step share one line. */
export function announceOn(stream: { write(text: string): unknown }, clock = () => performance.now()): Announce {
  return async (what, work) => {
    stream.write(`${what} … `);
    const startedAt = clock();
    try {
      const result = await work();
      stream.write(`done in ${inSeconds(clock() - startedAt)}\n`);
      return result;
    } catch (error) {
      stream.write('failed\n');
      throw error;
    }
  };
}

function inSeconds(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  return seconds < 10 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;
}
