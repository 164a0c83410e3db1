/** `berth templates` and `berth init --template NAME`: applications to start from. */
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { statuses } from '../arguments.ts';
import { printable, renderTable } from '../render.ts';
import type { UpContext } from '../up/up-context.ts';
import type { Run } from './command.ts';

/** Prints the document of the named template, or lists the templates that match the search. */
export const templates: Run = async ({ given: [name], options, connection: { client }, terminal, signal }) => {
  if (name !== undefined) {
    const answer = await client.call('getTemplate', { query: { name }, signal });
    if (!answer.ok) return terminal.refuse(answer.problem);
    terminal.json(answer.value);
    terminal.print(answer.value.document);
    return statuses.done;
  }
  const { search, tag } = options as { search?: string; tag?: string };
  const query = { ...(search !== undefined && { search }), ...(tag !== undefined && { tag }) };
  const answer = await client.call('listTemplates', { query, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  const { templates, tags } = answer.value;
  terminal.json(answer.value);
  if (templates.length === 0) {
    terminal.print(`Nothing matches. The tags are ${tags.map(printable).join(', ')}.\n`);
    return statuses.refused;
  }
  const rows = templates.map(({ name, description, tags }) => [name, description, tags.join(' ')].map(printable));
  terminal.print(renderTable(['NAME', 'WHAT IT IS', 'TAGS'], rows));
  terminal.print('"berth templates NAME" prints one, "berth init --template NAME" writes it into a folder.\n');
  return statuses.done;
};

/** Writes the document of a template as `berth.yaml`. Does not replace an existing file or follow a link. */
export async function initFromTemplate(context: UpContext): Promise<number> {
  const { folder, options, connection, terminal, signal } = context;
  const [named] = context.given;
  const answer = await connection.client.call('getTemplate', { query: { name: String(options.template) }, signal });
  if (!answer.ok) return terminal.refuse(answer.problem);
  const path = join(resolve(folder, named ?? '.'), 'berth.yaml');
  try {
    await writeFile(path, answer.value.document, { flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const because =
      code === 'EEXIST' ? 'the file already exists' : code === 'ENOENT' ? 'the folder does not exist' : message;
    return terminal.fail(`${printable(path)} cannot be written: ${because}.`);
  }
  const { name, title, next } = answer.value;
  terminal.json({ template: name, written: ['berth.yaml'] });
  const up = named === undefined ? 'berth up' : `berth up ${named}`;
  const lines = [`Wrote berth.yaml: ${title}.`, `Next: "${up}" starts it.${next === undefined ? '' : ` ${next}`}`];
  terminal.print(`${lines.map(printable).join('\n')}\n`);
  return statuses.done;
}
