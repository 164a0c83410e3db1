/** PURE. Prints the results of the scenarios on each store and engine as one Markdown table, with all reasons. */
import type { LeftOut } from './engine-tests.ts';
import type { FileReport } from './verdict.ts';

/** The file of one run of `npm test` that `TEST_REPORT` names. */
export type RunReport = { reports: FileReport[] };

/** The results of the scenarios on one store and one engine. */
export type Column = RunReport & { title: string; leftOut: LeftOut[] };

export function scenarioTable(columns: readonly Column[]): string {
  const filesOf = ({ reports, leftOut }: Column) => [...reports, ...leftOut].map(({ file }) => file);
  const files = [...new Set(columns.flatMap(filesOf))].sort();
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    row(['Passed / skipped / failed', ...columns.map(({ title }) => title)]),
    row(['---', ...columns.map(() => '---')]),
    ...files.map((file) => row([nameOf(file), ...columns.map((column) => cellOf(column, file))])),
    row(['**all**', ...columns.map((column) => `**${sumOf(column)}**`)]),
    ...columns.flatMap(reasonsOf),
  ].join('\n');
}

function cellOf({ reports, leftOut }: Column, file: string): string {
  const report = reports.find((each) => each.file === file);
  if (report) return `${report.passed} / ${report.skipped} / ${report.failures.length}`;
  return leftOut.some((each) => each.file === file) ? 'left out' : 'not run';
}

function sumOf({ reports, leftOut }: Column): string {
  const sum = (of: (report: FileReport) => number) => reports.reduce((total, report) => total + of(report), 0);
  const counts = [({ passed }: FileReport) => passed, ({ skipped }: FileReport) => skipped].map(sum);
  const all = [...counts, sum(({ failures }) => failures.length)].join(' / ');
  return leftOut.length === 0 ? all : `${all}, ${leftOut.length} files left out`;
}

function reasonsOf({ title, reports, leftOut }: Column): string[] {
  const lines = [
    ...leftOut.map(({ file, reason }) => `left out: ${nameOf(file)}: ${reason}`),
    ...reports.flatMap(({ file, skips }) =>
      skips.map(({ name, reason }) => `skipped: ${nameOf(file)}: ${name}: ${reason || 'it does not say why'}`),
    ),
    ...reports.flatMap(({ file, failures }) => failures.map((name) => `failed: ${nameOf(file)}: ${name}`)),
  ];
  return lines.length === 0 ? [] : ['', `${title}:`, '', ...lines.map((line) => `- ${line}`)];
}

function nameOf(file: string): string {
  return file.replace(/^test\/scenarios\//, '').replace(/\.test\.ts$/, '');
}
