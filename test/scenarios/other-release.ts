/** A service of a later release for scenarios: the code of today with more migrations. */
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `service` and `down`: its programs. */
export type OtherRelease = AsyncDisposable & { service: string; down: string };

/** `changes`: the text of `up` by the name of its migration, after those of today. */
export async function laterRelease(changes: Record<string, string>): Promise<OtherRelease> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-release-'));
  for (const name of await readdir('.')) {
    if (name === 'src' || name === 'scripts') await cp(name, join(folder, name), { recursive: true });
    else await symlink(join(process.cwd(), name), join(folder, name));
  }
  const migrations = join(folder, 'src/store/migrations');
  for (const [name, text] of Object.entries(changes))
    await writeFile(join(migrations, `${name}.ts`), `export async function up(db) {\n${text}\n}\n`);
  const index = await readFile(join(migrations, 'index.ts'), 'utf8');
  const names = Object.keys(changes);
  const imports = names.map((name, at) => `import * as later${at} from './${name}.ts';\n`).join('');
  const entries = names.map((name, at) => `  '${name}': later${at},\n`).join('');
  const withMore = index.replace(/(?=^export const migrations)/m, imports).replace(/^};/m, `${entries}};`);
  await writeFile(join(migrations, 'index.ts'), withMore);
  return {
    service: join(folder, 'src/main.ts'),
    down: join(folder, 'scripts/down.ts'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
