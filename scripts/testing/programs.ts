/**
 * Programs of the project as one file each, for tests that start them again and again. The service alone is 2,500 modules:
 * to find and load them takes Node a second of processor at every start, and a whole run has some 300. The code is the
 * same, and finds its files beside its sources.
 *
 * `node programs.ts ROOT FOLDER` makes them in a process of its own: the bundler keeps a gigabyte until its process ends.
 */
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type RolldownPlugin, rolldown } from 'rolldown';

/** By their paths in the project, which are in the paths of what is made of them too: `down` knows a service by that. */
const programs = [
  'src/main.ts',
  'scripts/down.ts',
  'test/scenarios/hooked-service.ts',
  'test/scenarios/started-service.ts',
];

/** Of what the client of the engine brings, what it needs for engines behind SSH and for building images is not ours. */
const unused = ['@grpc/grpc-js', '@grpc/proto-loader', 'ssh2'];

/** Makes each of them anew, in `folder`: `src/main.ts.mjs` and so on. Rejects when one cannot be made. */
export async function makePrograms(root: string, folder: string, paths: readonly string[] = programs): Promise<void> {
  await Promise.all(paths.map((path) => makeProgram(join(root, path), join(folder, `${path}.mjs`))));
}

async function makeProgram(source: string, file: string): Promise<void> {
  const external = ['@kubernetes/client-node'];
  const bundle = await rolldown({
    input: source,
    external,
    platform: 'node',
    plugins: [without(unused), originOf(source)],
  });
  // Another run may start what is there meanwhile.
  const made = `${file}.${process.pid}`;
  await bundle.write({ file: made, format: 'esm', codeSplitting: false });
  await bundle.close();
  await mkdir(dirname(file), { recursive: true });
  await rename(made, file);
}

/** There they are, and empty: to load them takes longer than to load the rest of that client. */
function without(modules: readonly string[]): RolldownPlugin {
  const prefix = 'without:';
  return {
    name: 'without',
    resolveId: (name) => (modules.includes(name) ? prefix + name : null),
    load: (id) => (id.startsWith(prefix) ? 'module.exports = {};' : null),
  };
}

/** Each module is told where it comes from; only the first one is what was started. */
function originOf(entry: string): RolldownPlugin {
  return {
    name: 'origin',
    transform: (code, id) => (/\b(import\.meta|__dirname)\b/.test(code) ? withOrigin(code, id, id === entry) : null),
  };
}

/** PURE. What Node tells a module of itself, as words of the module. */
export function withOrigin(code: string, path: string, isEntry: boolean): string {
  const folder = JSON.stringify(dirname(path));
  const told = code
    .replaceAll(/\bimport\.meta\.dirname\b/g, () => folder)
    .replaceAll(/\bimport\.meta\.url\b/g, () => JSON.stringify(pathToFileURL(path).href))
    .replaceAll(/\bimport\.meta\.main\b/g, String(isEntry));
  const asksForFolder = /\b__dirname\b/.test(told) && !/\b(const|let|var)\s+__dirname\b/.test(told);
  return asksForFolder ? `const __dirname = ${folder};\n${told}` : told;
}

if (import.meta.main) {
  const [root, folder] = process.argv.slice(2);
  await makePrograms(root!, folder!);
}
