/** Values that somebody was asked for once, beside what else the folder remembers: for its owner alone. */
import { join } from 'node:path';
import { replaceSharedFile } from '../../lib/replace-file.ts';
import { prepareMemoryFolder, readRemembered } from '../folder.ts';

/** Each line is a name and, as JSON has it, a text: nothing in a value ends it. */
const line = /^([A-Za-z_][\w.-]*)=(".*")$/;

export async function recallValues(folder: string): Promise<Record<string, string>> {
  const text = (await readRemembered(folder, 'values.env')) ?? '';
  const values: Record<string, string> = {};
  for (const each of text.split('\n')) {
    const [, name, value] = line.exec(each) ?? [];
    if (name === undefined) continue;
    try {
      values[name] = JSON.parse(value!) as string;
    } catch {
      // Somebody has written into it; then it is asked for again.
    }
  }
  return values;
}

export async function rememberValues(folder: string, values: Readonly<Record<string, string>>): Promise<void> {
  const place = await prepareMemoryFolder(folder);
  const lines = Object.entries(values).map(([name, value]) => `${name}=${JSON.stringify(value)}\n`);
  await replaceSharedFile(join(place, 'values.env'), lines.join(''));
}
