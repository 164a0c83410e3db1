/**
 * How much a reader gets from files: holes are read as zeros, and a file that has several names is read by each. So a
 * volume of 16 MiB can have terabytes to read.
 */
import { runProgram } from './volume-programs.ts';

/** Whoever owns a volume makes as many files as it holds, and as many names as its directories do. */
const walkMs = 10 * 60_000;

/** All of what is below these directories, whose file systems alone are walked. Throws where that lasts ten minutes. */
export async function apparentBytesBelow(directories: readonly string[]): Promise<number> {
  if (directories.length === 0) return 0;
  const told = await runProgram(
    ['du', '-s', '-x', '--count-links', '--apparent-size', '--block-size=1', '--', ...directories],
    undefined,
    undefined,
    walkMs,
  );
  return told
    .trim()
    .split('\n')
    .reduce((sum, line) => sum + Number.parseInt(line, 10), 0);
}
