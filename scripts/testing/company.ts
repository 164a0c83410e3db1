/**
 * Decides which test files share a process. Most are CPU-only: loading the same modules again for each of them would
 * take longer than the tests. A file that starts programs, calls an engine or measures the processor has a process of
 * its own. Files that may start threads share one, since only large documents are read in threads. The direct and
 * indirect imports of a file decide, without a list.
 */
import { importReader, reaches } from './imports.ts';

/** A file that imports one of these runs alone. Paths are relative to the project. */
const loners = [
  'node:child_process',
  'node:cluster',
  'dockerode',
  'playwright-core',
  'test/processor-time.ts',
  'test/hostile/longest-turn.ts',
];

/**
 * The slowest files take 50 s to 400 s next to others, and start first, so that the run does not wait for a late one.
 */
export const longest = [
  'test/contract/docker.test.ts',
  'test/contract/gvisor.nightly.test.ts',
  'test/scenarios/killed-rolling.nightly.test.ts',
  'test/scenarios/killed-volumes.nightly.test.ts',
  'test/scenarios/disk-full.nightly.test.ts',
  'test/hostile/network.nightly.test.ts',
  'test/scenarios/pull-stalls.nightly.test.ts',
  'test/hostile/disk.nightly.test.ts',
  'test/scenarios/bad-engine.nightly.test.ts',
  'test/scenarios/behind-our-back.nightly.test.ts',
  'test/contract/volume-backup.test.ts',
  'test/scenarios/agent-chat.test.ts',
  'test/scenarios/handover.test.ts',
  'test/scenarios/dumps.test.ts',
  'test/contract/installation-backup.test.ts',
  'test/scenarios/source.test.ts',
  'test/scenarios/engine-restart.test.ts',
  'test/scenarios/snapshots.test.ts',
  'test/browser/account.test.ts',
  'test/browser/data.test.ts',
  'test/browser/failures.test.ts',
  'test/scenarios/mcp.test.ts',
  'test/hostile/builds.test.ts',
  'test/scenarios/gvisor.test.ts',
  'test/scenarios/killed-planes.test.ts',
  'test/scenarios/secrets.test.ts',
  'test/up/up.test.ts',
  'test/deploy/image.test.ts',
  'test/scenarios/reported.test.ts',
  'test/scenarios/clock.test.ts',
  'test/scenarios/lifecycle.test.ts',
  'test/builds/builder.test.ts',
  'test/simulation/simulation.test.ts',
  'test/scenarios/failure.test.ts',
  'test/hostile/container.test.ts',
];

/** The number of files that justifies another process, up to the number of processors. */
const minPerProcess = 20;

export type Company = { alone: string[]; together: string[][] };

/** `files`: paths from `root`, as in the result, which contains each once. */
export function findCompany(root: string, files: readonly string[], processors: number): Company {
  const importsOf = importReader(root);
  const isLoner = (file: string) => reaches(importsOf, file, new Set(loners));
  const { alone = [], shared = [] } = Object.groupBy(files, (file) => (isLoner(file) ? 'alone' : 'shared'));
  return { alone: alone.toSorted(longestFirst), together: deal(shared, processors) };
}

/** PURE. Neighbours in a folder are much alike: they go to different processes. */
export function deal(files: readonly string[], processors: number): string[][] {
  const hands = Math.max(1, Math.min(processors, Math.floor(files.length / minPerProcess)));
  const dealt = Array.from({ length: hands }, (_, hand) => files.filter((_, index) => index % hands === hand));
  return dealt.filter((hand) => hand.length > 0);
}

/**
 * PURE. Sorts the slowest first. Then tests of the whole, which take minutes, come before unit tests, which take
 * seconds.
 */
export function longestFirst(a: string, b: string): number {
  const rank = (file: string) => {
    const place = longest.indexOf(file);
    if (place >= 0) return place;
    return longest.length + (file.startsWith('test/') ? 0 : 1);
  };
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}
