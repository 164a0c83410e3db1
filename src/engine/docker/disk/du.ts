/**
 * How much lies below directories of this machine, counted in blocks that are taken: a file with holes counts as what is
 * in it. `du` walks them in a process of its own, at the lowest priority, and follows no link and no other file system.
 */
import { ProgramError, runProgram } from '../volumes/volume-programs.ts';

/** A directory entry takes an inode, of which a disk has so many: some 16 KiB for each. An empty file is not nothing. */
const leastBytesOfFile = 4096;

/** By path; those that have gone meanwhile are missing. Needs to be root for what belongs to others. */
export async function measure(paths: string[]): Promise<Map<string, number>> {
  if (paths.length === 0) return new Map();
  const [bytes, files] = [await du(paths, '--block-size=1'), await du(paths, '--inodes')];
  return new Map([...bytes].map(([path, taken]) => [path, Math.max(taken, (files.get(path) ?? 0) * leastBytesOfFile)]));
}

async function du(paths: string[], unit: string): Promise<Map<string, number>> {
  const argv = ['nice', '-n', '19', 'du', '-s', '-x', '--null', unit, '--files0-from=-'] as const;
  // It complains about what disappears while it looks, and goes on.
  const output = await runProgram(argv, paths.join('\0')).catch((error) => {
    if (error instanceof ProgramError && error.code === 1) return error.output;
    throw error;
  });
  return parseDu(output);
}

/** PURE. `<number>\t<path>\0` for each. */
export function parseDu(output: string): Map<string, number> {
  const entries = output.split('\0').flatMap((line): [string, number][] => {
    const tab = line.indexOf('\t');
    const number = Number(line.slice(0, tab));
    return tab > 0 && Number.isFinite(number) ? [[line.slice(tab + 1), number]] : [];
  });
  return new Map(entries);
}
