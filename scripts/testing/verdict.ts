/** PURE. The result of each test file, from the reports of its process and the way it ended. */
import type { Fact } from './facts.ts';

export type FileReport = {
  /** The path from the root of the project. */
  file: string;
  tookMs: number;
  /** The processor time of the process and its ended children. 0 for one of several files in one process. */
  processorMs: number;
  passed: number;
  skipped: number;
  /** Skipped tests and whole suites. */
  skips: { name: string; reason: string }[];
  /** Failures: tests by their names, or the problem of the file as a whole. */
  failures: string[];
};

/** `exit`: the exit code, or the signal that ended it. `hasHung`: it was ended because it was silent for too long. */
export type Ending = { tookMs: number; exit: number | string; hasHung: boolean };

/** Returns the verdict. With several files, each file is a suite of its own, and the suites run one after another. */
export function verdict(files: readonly string[], facts: readonly Fact[], ending: Ending): FileReport[] {
  const reported = facts.filter((fact) => fact.kind === 'began' || fact.kind === 'ended');
  const [only] = files.length === 1 ? files : [];
  // Without a test, Node's runner reports no end.
  const end = facts.at(-1);
  const isClosed = !ending.hasHung && (facts.length === 0 || end?.kind === 'closed');
  const processorMs = only && end?.kind === 'closed' ? end.processorMs : 0;
  const reports = files.map((file): FileReport => {
    const ended = (only ? reported : factsOf(file, reported)).filter((fact) => fact.kind === 'ended');
    const whole = ended.find(({ name, nesting }) => nesting === 0 && name === file);
    const tests = ended.filter(({ isSuite }) => !isSuite);
    const count = (wanted: string) => tests.filter(({ outcome }) => outcome === wanted).length;
    // If a suite fails without a failed test, its own name is reported.
    const failures = [tests, ended].map(namesOfFailed).find(({ length }) => length > 0) ?? [];
    const hasTests = ended.some((each) => each !== whole);
    const isOver = only ? isClosed && ending.exit === 0 : whole !== undefined;
    if (isOver && !hasTests && failures.length === 0) failures.push('it contains no test');
    if (!only && !whole) failures.push('it did not come to its end');
    const tookMs = only ? ending.tookMs : (whole?.tookMs ?? 0);
    const skips = ended.flatMap(({ outcome, name, reason = '' }) => (outcome === 'skipped' ? [{ name, reason }] : []));
    return { file, tookMs, processorMs, passed: count('passed'), skipped: count('skipped'), skips, failures };
  });
  const hasFailed = reports.some(({ failures }) => failures.length > 0);
  const isAccountedFor = ending.exit === 0 || (ending.exit === 1 && hasFailed);
  if (!isClosed || !isAccountedFor) {
    // The last file that reported something.
    const last = facts.findLast((fact) => fact.kind === 'reached')?.file;
    const guilty = reports.find(({ file }) => file === last) ?? reports[0];
    guilty?.failures.push(ending.hasHung ? hangs(reported) : `its process ended too early (${ending.exit})`);
  }
  return reports;
}

type TestFact = Extract<Fact, { kind: 'began' | 'ended' }>;

function factsOf(file: string, reported: readonly TestFact[]): TestFact[] {
  const isFile = ({ nesting, name }: TestFact) => nesting === 0 && name === file;
  const first = reported.findIndex(isFile);
  if (first < 0) return [];
  const next = reported.findIndex((fact, index) => index > first && fact.nesting === 0 && !isFile(fact));
  return reported.slice(first, next < 0 ? undefined : next);
}

function namesOfFailed(ended: readonly Extract<Fact, { kind: 'ended' }>[]): string[] {
  return ended.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name);
}

function hangs(reported: readonly TestFact[]): string {
  const last = reported.at(-1);
  return last
    ? `it hangs: nothing was heard of it after "${last.name}" had ${last.kind === 'began' ? 'begun' : 'ended'}`
    : 'it hangs';
}
