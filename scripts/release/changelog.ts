/** PURE. The changelog of a release: its version, and the changes since the previous one. */
import { schemaStep } from '../../src/store/migrations/schema-step.ts';

const versionForm = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/;

/** Returns why the version cannot be the next one. Undefined if it can. */
export function versionProblem(wanted: string, current: string): string | undefined {
  const [next, before] = [wanted, current].map((text) => versionForm.exec(text)?.slice(1).map(Number));
  if (!next || !before) return `${wanted} is not a version such as 1.2.3.`;
  const at = next.findIndex((part, index) => part !== before[index]);
  return at !== -1 && next[at]! > before[at]! ? undefined : `${wanted} is not after ${current}.`;
}

export type Release = {
  version: string;
  /** YYYY-MM-DD */
  date: string;
  /** The subjects of the commits, newest first. */
  subjects: readonly string[];
  /** Migrations of the previous release; undefined for the first release. */
  schemaBefore: readonly string[] | undefined;
  /** Names of migrations. */
  schema: readonly string[];
};

/** A section of the changelog. */
export function changelogSection({ version, date, subjects, schemaBefore, schema }: Release): string {
  const changes = subjects.map((subject) => `- ${subject.replaceAll(/[\r\n]+/g, ' ')}`);
  return [
    `## ${version} (${date})`,
    '',
    schemaWords(schemaBefore, schema),
    '',
    ...(changes.length > 0 ? changes : ['- No changes.']),
    '',
  ].join('\n');
}

/** The effect of the first start on a database of the previous release. */
function schemaWords(before: readonly string[] | undefined, schema: readonly string[]): string {
  if (!before) return 'This is the first release.';
  const step = schemaStep(before, schema);
  if (step.kind === 'none')
    return 'The schema of the database is that of the previous release: either release can follow the other.';
  if (step.kind === 'add')
    return `The first start adds to the schema of the database (${step.missing.join(', ')}), and the previous release does not start on it afterwards. Make a backup first (\`berth admin backup\`).`;
  throw new Error('This release lacks migrations of the previous one and could not use its databases.');
}

const heading = '# Changelog\n';

/** `before`: the content of the file, if it exists. Throws if it already has that version. */
export function withSection(before: string | undefined, version: string, section: string): string {
  if (before?.includes(`\n## ${version} (`)) throw new Error(`The changelog has ${version} already.`);
  const older = before?.startsWith(heading) ? before.slice(heading.length).replace(/^\n+/, '') : (before ?? '');
  return `${heading}\n${section}${older === '' ? '' : `\n${older}`}`;
}
