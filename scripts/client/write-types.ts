/** `npm run client`: writes the types of the client from what the service describes. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { wholeDescription } from '../../src/api/description/description.ts';
import { testApi } from '../../test/support/api.ts';
import { type Description, generateTypes } from './generated-types.ts';

const root = join(import.meta.dirname, '../..');
export const typesFile = join(root, 'src/client/service-types.ts');

/** The expected content of the file, in the formatter's form. */
export async function wantedTypes(): Promise<string> {
  const api = await testApi();
  await api.app.ready();
  const description = wholeDescription(api.app);
  await api.app.close();
  return await formatted(generateTypes(description as unknown as Description));
}

/** Formats the text with the project's formatter, so that the linter accepts it. */
async function formatted(text: string): Promise<string> {
  const biome = join(root, 'node_modules/.bin/biome');
  const running = promisify(execFile)(biome, ['format', '--stdin-file-path', 'src/client/service-types.ts'], {
    cwd: root,
  });
  running.child.stdin!.end(text);
  return (await running).stdout;
}

if (import.meta.main) {
  const wanted = await wantedTypes();
  const there = await readFile(typesFile, 'utf8').catch(() => '');
  if (there !== wanted) await writeFile(typesFile, wanted);
}
