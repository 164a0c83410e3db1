/**
 * `npm run corpus -- DIR…`: validates every YAML file of a folder, one line each. Where the folder has an
 * `expected.tsv` (file, verdict, why), it prints how many verdicts agree and which do not; below 98 % it fails.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { printDiagnostic } from '../src/config/diagnostics/diagnostics.ts';
import { parseConfiguration } from '../src/config/parse.ts';

const minAgreement = 0.98;

type Verdict = 'accept' | 'reject';
type Judged = { file: string; verdict: Verdict; first: string; ms: number };

const folders = process.argv.slice(2);
if (folders.length === 0) fail('Say which folder: npm run corpus -- DIR');
for (const folder of folders) {
  if (!existsSync(folder)) fail(`The folder ${folder} does not exist.`);
  const judged = judgeFolder(folder);
  if (judged.length === 0) fail(`The folder ${folder} has no YAML files.`);
  for (const { file, verdict, first, ms } of judged) {
    console.log(`${verdict}  ${file}  ${ms.toFixed(1)} ms${first ? `  ${first}` : ''}`);
  }
  const accepted = judged.filter(({ verdict }) => verdict === 'accept').length;
  const slowest = judged.reduce((a, b) => (b.ms > a.ms ? b : a));
  console.log(
    `${judged.length} files: ${accepted} accepted, ${judged.length - accepted} rejected; slowest ${slowest.file} with ${slowest.ms.toFixed(1)} ms`,
  );
  const table = join(folder, 'expected.tsv');
  if (existsSync(table)) compare(judged, readExpected(table));
}

function judgeFolder(folder: string): Judged[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => /\.ya?ml$/.test(file))
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      const startedAt = performance.now();
      const { kind, diagnostics } = parseConfiguration(text);
      const ms = performance.now() - startedAt;
      const first = diagnostics.find(({ severity }) => severity === 'error');
      return { file, verdict: kind === 'valid' ? 'accept' : 'reject', first: first ? printDiagnostic(first) : '', ms };
    });
}

type Expected = { file: string; verdict: string; why: string };

function readExpected(table: string): Expected[] {
  const lines = readFileSync(table, 'utf8').split(/\r?\n/);
  return lines
    .slice(1)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [file = '', verdict = '', why = ''] = line.split('\t');
      return { file, verdict, why };
    });
}

function compare(judged: Judged[], expected: Expected[]): void {
  const byFile = new Map(judged.map((one) => [one.file, one]));
  const differing = expected.filter(({ file, verdict }) => byFile.get(file)?.verdict !== verdict);
  for (const { file, verdict, why } of differing) {
    const got = byFile.get(file);
    const reason = why ? ` (${why})` : '';
    console.log(
      `differs  ${file}: expected ${verdict}${reason}, got ${got ? `${got.verdict} ${got.first}` : 'no such file'}`,
    );
  }
  const agreement = expected.length === 0 ? 1 : 1 - differing.length / expected.length;
  console.log(`${expected.length - differing.length} of ${expected.length} agree (${(agreement * 100).toFixed(1)} %)`);
  if (agreement < minAgreement) process.exitCode = 1;
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
