/**
 * A file that failed next to others runs once more alone. If it fails again, the test found a fault. If it passes, the
 * test is unsteady: the closing lines name it, and `unsteady-record.ts` counts how often that happens.
 */
import type { FileReport } from './verdict.ts';

/** More failures than this have a common cause. */
export const triedAgain = 3;

/**
 * Returns the reports, with second attempts in place of the first. `unsteady`: tests that first failed and then passed.
 * `unsteadyFiles`: their files.
 */
export async function againAlone(
  reports: readonly FileReport[],
  run: (file: string) => Promise<FileReport[]>,
): Promise<{ reports: FileReport[]; unsteady: string[]; unsteadyFiles: string[] }> {
  const failed = reports.filter(({ failures }) => failures.length > 0);
  if (failed.length > triedAgain) return { reports: [...reports], unsteady: [], unsteadyFiles: [] };
  const second = new Map<string, FileReport>();
  const unsteady: string[] = [];
  const unsteadyFiles: string[] = [];
  for (const report of failed) {
    const [again] = await run(report.file);
    if (again === undefined) continue;
    if (again.failures.length === 0 && testsOf(again) >= testsOf(report)) {
      unsteady.push(...namesOf(report));
      unsteadyFiles.push(report.file);
    } else if (again.failures.length === 0) again.failures.push('fewer tests ran when it was tried again');
    second.set(report.file, again);
  }
  return { reports: reports.map((report) => second.get(report.file) ?? report), unsteady, unsteadyFiles };
}

/** Returns the closing lines. The last one has the counts. */
export function closingLines(reports: readonly FileReport[], unsteady: readonly string[]): string[] {
  const failures = reports.flatMap(namesOf);
  const sum = (of: 'passed' | 'skipped') => reports.reduce((total, report) => total + report[of], 0);
  const counts = `${sum('passed')} passed, ${failures.length} failed, ${sum('skipped')} skipped`;
  return [
    ...failures.map((name) => `✖ ${name}`),
    ...unsteady.map((name) => `↻ ${name} (failed next to other files, passed alone: unsteady)`),
    unsteady.length > 0 ? `${counts}, ${unsteady.length} of the passed only alone` : counts,
  ];
}

function testsOf({ passed, failures }: FileReport): number {
  return passed + failures.length;
}

function namesOf({ file, failures }: FileReport): string[] {
  return failures.map((name) => `${file}: ${name}`);
}
