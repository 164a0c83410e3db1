/** PURE. What a release says of itself: its version, and what has changed since the one before. */

const versionForm = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/;

/** Why the version cannot be the next one; undefined when it can. */
export function versionProblem(wanted: string, current: string): string | undefined {
  const [next, before] = [wanted, current].map((text) => versionForm.exec(text)?.slice(1).map(Number));
  if (!next || !before) return `${wanted} is no version such as 1.2.3.`;
  const at = next.findIndex((part, index) => part !== before[index]);
  return at !== -1 && next[at]! > before[at]! ? undefined : `${wanted} is not after ${current}.`;
}

export type Release = {
  version: string;
  /** YYYY-MM-DD */
  date: string;
  /** Of commits, the newest first. */
  subjects: readonly string[];
  /** Names of those that the release before has not. */
  migrations: readonly string[];
};

/** A section of the changelog. */
export function changelogSection({ version, date, subjects, migrations }: Release): string {
  const changes = subjects.map((subject) => `- ${subject.replaceAll(/[\r\n]+/g, ' ')}`);
  const schema =
    migrations.length === 0
      ? ['The schema of the database is that of the release before: either can follow the other.']
      : [
          `**Cannot be undone:** the first start changes the schema of the database (${migrations.join(', ')}), and the release before refuses it then. Make a backup first (\`berth admin backup\`).`,
        ];
  return [`## ${version} (${date})`, '', ...schema, '', ...(changes.length > 0 ? changes : ['- No changes.']), ''].join(
    '\n',
  );
}

const heading = '# Changelog\n';

/** `before`: what the file has, if there is one. Throws where it has that version already. */
export function withSection(before: string | undefined, version: string, section: string): string {
  if (before?.includes(`\n## ${version} (`)) throw new Error(`The changelog has ${version} already.`);
  const older = before?.startsWith(heading) ? before.slice(heading.length).replace(/^\n+/, '') : (before ?? '');
  return `${heading}\n${section}${older === '' ? '' : `\n${older}`}`;
}
