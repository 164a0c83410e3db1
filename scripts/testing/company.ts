/**
 * Which test files share a process. Most compute and nothing else: loading the same modules anew for each of them would
 * take longer than the tests. A file that starts programs, speaks to an engine or measures the processor has a process
 * of its own; one that may start threads has not: those that read documents are started for large ones alone. What it
 * imports tells, however far down: there is no list to keep.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Whoever imports one of these is alone; paths are those of the project. */
const loners = [
  'node:child_process',
  'node:cluster',
  'dockerode',
  'playwright-core',
  'test/processor-time.ts',
  'test/hostile/longest-turn.ts',
];

/** They take longest, from 220 s to 50 s beside others, and begin first: whoever begins last is waited for alone. */
export const longest = [
  'test/contract/gvisor.test.ts',
  'test/scenarios/killed-rolling.test.ts',
  'test/scenarios/killed-volumes.test.ts',
  'test/contract/docker.test.ts',
  'test/scenarios/disk-full.test.ts',
  'test/browser/account.test.ts',
  'test/browser/claims.test.ts',
  'test/hostile/network.test.ts',
  'test/simulation/simulation.test.ts',
  'test/scenarios/pull-stalls.test.ts',
  'test/hostile/disk.test.ts',
  'test/scenarios/failure.test.ts',
  'test/scenarios/engine-restart.test.ts',
  'test/browser/failures.test.ts',
  'test/scenarios/bad-engine.test.ts',
  'test/browser/visitor.test.ts',
  'test/hostile/container.test.ts',
  'test/scenarios/gvisor.test.ts',
  'test/browser/editor.test.ts',
  'test/scenarios/behind-our-back.test.ts',
  'test/scenarios/lifecycle.test.ts',
  'test/scenarios/clock.test.ts',
  'test/config/hostile.test.ts',
  'test/scenarios/expiry.test.ts',
];

/** So many files are worth another process, as long as there are processors. */
const leastPerProcess = 20;

export type Company = { alone: string[]; together: string[][] };

/** `files` are paths from `root`, as are those in the answer; each is there once. */
export function findCompany(root: string, files: readonly string[], processors: number): Company {
  const importsOf = importReader(root);
  const isLoner = (file: string) => reaches(importsOf, file, new Set(loners));
  const { alone = [], shared = [] } = Object.groupBy(files, (file) => (isLoner(file) ? 'alone' : 'shared'));
  return { alone: alone.toSorted(longestFirst), together: deal(shared, processors) };
}

/** PURE. Neighbours in a folder are much alike: they go to different processes. */
export function deal(files: readonly string[], processors: number): string[][] {
  const hands = Math.max(1, Math.min(processors, Math.floor(files.length / leastPerProcess)));
  const dealt = Array.from({ length: hands }, (_, hand) => files.filter((_, index) => index % hands === hand));
  return dealt.filter((hand) => hand.length > 0);
}

/** PURE. Whether what `file` imports, and what that imports, comes to one of `wanted`. */
export function reaches(importsOf: (file: string) => string[], file: string, wanted: ReadonlySet<string>): boolean {
  const seen = new Set([file]);
  for (const one of seen) {
    if (wanted.has(one)) return true;
    for (const next of importsOf(one)) seen.add(next);
  }
  return false;
}

/** PURE. What a module loads when it runs; types alone are no import. */
export function specifiersIn(source: string): string[] {
  const patterns = [
    /^(?:import|export)\s+(?!type\b)[^;'"]*?\bfrom\s+'([^']+)'/gm,
    /^import\s+'([^']+)'/gm,
    /\bimport\(\s*'([^']+)'/g,
  ];
  return patterns.flatMap((pattern) => [...source.matchAll(pattern)].map(([, specifier]) => specifier!));
}

/** PURE. The longest first; then what tries the whole and takes minutes, before what lies beside its subject and takes seconds. */
export function longestFirst(a: string, b: string): number {
  const rank = (file: string) => {
    const place = longest.indexOf(file);
    if (place >= 0) return place;
    return longest.length + (file.startsWith('test/') ? 0 : 1);
  };
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

function importReader(root: string): (file: string) => string[] {
  const known = new Map<string, string[]>();
  return (file) => {
    const found = known.get(file) ?? readImports(root, file);
    known.set(file, found);
    return found;
  };
}

/** Modules of the project by their paths, everybody else's by their names. */
function readImports(root: string, file: string): string[] {
  if (!/\.m?tsx?$/.test(file) || !existsSync(join(root, file))) return [];
  const specifiers = specifiersIn(readFileSync(join(root, file), 'utf8'));
  return specifiers.map((specifier) => (specifier.startsWith('.') ? join(dirname(file), specifier) : specifier));
}
