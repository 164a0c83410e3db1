/** Values that the user has entered once, stored next to the folder's session, readable only by its owner. */
import { join } from 'node:path';
import { replaceSharedFile } from '../../lib/replace-file.ts';
import { prepareBerthFolder, readFolderFile } from '../saved-session.ts';

export type Answers = {
  values: Record<string, string>;
  /** Files with variables that the application does without. */
  without: string[];
};

/** Each line has a name and a value as a JSON string, so that no character of a value can end it. */
const valueLine = /^([A-Za-z_][\w.-]*)=(".*")$/;
const withoutLine = /^# without (".*")$/;

export async function readAnswers(folder: string): Promise<Answers> {
  const text = (await readFolderFile(folder, 'values.env')) ?? '';
  const answers: Answers = { values: {}, without: [] };
  for (const line of text.split('\n')) {
    const [, name, value] = valueLine.exec(line) ?? [];
    const [, file] = withoutLine.exec(line) ?? [];
    try {
      if (name !== undefined) answers.values[name] = JSON.parse(value!) as string;
      if (file !== undefined) answers.without.push(JSON.parse(file) as string);
    } catch {
      // The file was edited, so the value is requested again.
    }
  }
  return answers;
}

export async function saveAnswers(folder: string, { values, without }: Readonly<Answers>): Promise<void> {
  const place = await prepareBerthFolder(folder);
  const lines = [
    ...Object.entries(values).map(([name, value]) => `${name}=${JSON.stringify(value)}\n`),
    ...without.map((file) => `# without ${JSON.stringify(file)}\n`),
  ];
  await replaceSharedFile(join(place, 'values.env'), lines.join(''));
}
