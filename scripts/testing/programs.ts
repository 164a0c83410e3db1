/**
 * Bundles programs of the project into a few files, for tests that start them repeatedly. The service has 2,500
 * modules: loading them takes a second of processor time at every start, and a whole run has about 300 starts. Test
 * files with their own process are bundled, too: from sources, each takes 0.5 s of processor time to load, and 0.15 s
 * as a bundle. The code is the same and finds its files next to its sources. `node programs.ts ROOT FOLDER PATH…`
 * bundles those and the ones below in a separate process, because the bundler holds a gigabyte until its process ends.
 */
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type RolldownPlugin, rolldown } from 'rolldown';
import { compiledValidator } from '../compiled-validator.ts';
import { madeFile } from './made-file.ts';

/** Always bundled. The bundles' paths contain these paths, by which `down` recognizes a service. */
const programs = [
  'src/main.ts',
  'scripts/down.ts',
  'test/scenarios/hooked-service.ts',
  'test/scenarios/started-service.ts',
  'test/simulation/main.ts',
];

/** Dependencies of the Docker client for engines behind SSH and image builds, which are not used. */
const unused = ['@grpc/grpc-js', '@grpc/proto-loader', 'ssh2'];

/** These packages read files next to their own, or contain compiled code. */
const apart = ['@kubernetes/client-node', 'playwright-core', 'rolldown', /^@redocly\//, /^@stoplight\//];

/** Modules of Node, by both of their names, that create some of their exports on first use. */
const lazy = new Set(['http', 'node:http']);

const parts = 'parts';
/** Another run may still start programs of an earlier one, so only older ones are removed. */
const keptMs = 24 * 60 * 60 * 1000;

/** Bundles the programs into `folder`, with shared code in `parts/`. Rejects if one cannot be bundled. */
export async function makePrograms(root: string, folder: string, paths: readonly string[]): Promise<void> {
  const made = new Map(paths.map((path) => [join(root, path), madeFile(folder, path)]));
  const bundle = await rolldown({
    input: Object.fromEntries(paths.map((path) => [path, join(root, path)])),
    external: apart,
    platform: 'node',
    treeshake: false,
    plugins: [compiledValidator(), without(unused), asLazyAsRequired(lazy), originOf(made)],
  });
  const making = join(folder, `making-${process.pid}`);
  const names = { entryFileNames: '[name].mjs', chunkFileNames: `${parts}/[name]-[hash].mjs` };
  const { output } = await bundle.write({ dir: making, format: 'esm', ...names });
  await bundle.close();
  // Another run may start them at the same time, so the shared parts are written first. Their names contain a hash of
  // their content.
  for (const { fileName } of output.toSorted((a, b) => Number(isEntry(a)) - Number(isEntry(b)))) {
    await mkdir(dirname(join(folder, fileName)), { recursive: true });
    await rename(join(making, fileName), join(folder, fileName));
  }
  await rm(making, { recursive: true });
  await mkdir(join(folder, parts), { recursive: true });
  await removeOld(folder, new Set(output.map(({ fileName }) => fileName)));
}

function isEntry(output: object): boolean {
  return 'isEntry' in output && output.isEntry === true;
}

async function removeOld(folder: string, present: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(join(folder, parts))) {
    if (present.has(`${parts}/${name}`)) continue;
    const file = join(folder, parts, name);
    // Another run may do the same.
    const found = await stat(file).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > keptMs) await rm(file, { force: true });
  }
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

/**
 * With an import, a Node module creates all its exports. With a `require`, it does not. Some exports of `node:http`
 * belong to Node's WebSocket client, which takes 35 ms of processor time to load, in each of 2,600 processes. An import
 * here therefore has only the other exports. A file that names one of these makes the bundling fail.
 */
function asLazyAsRequired(modules: ReadonlySet<string>): RolldownPlugin {
  const prefix = 'as-required:';
  return {
    name: 'as-lazy-as-required',
    resolveId: (name, _importer, { kind }) =>
      modules.has(name) && kind === 'import-statement' ? `${prefix}${name}` : null,
    load: (id) => (id.startsWith(prefix) ? valuesOf(id.slice(prefix.length)) : null),
  };
}

/** Returns a module with the exports of a Node module that exist without loading others. */
function valuesOf(name: string): string {
  const all = Object.getOwnPropertyDescriptors(process.getBuiltinModule(name));
  const names = Object.keys(all).filter((key) => key !== 'default' && 'value' in all[key]!);
  const own = `globalThis.process.getBuiltinModule(${JSON.stringify(name)})`;
  return `const own = ${own};\nexport default own;\nexport const { ${names.join(', ')} } = own;`;
}

/** Each module gets its origin. Only the entry's module can be the started one. */
function originOf(made: ReadonlyMap<string, string>): RolldownPlugin {
  return {
    name: 'origin',
    transform: (code, id) => {
      if (!/\b(import\.meta|__dirname)\b/.test(code)) return null;
      if (!id.includes('/node_modules/')) refuseMovingMeta(code, id);
      return withOrigin(code, id, made.get(id));
    },
  };
}

/** Split, because this module is part of a bundle itself, which refuses the words. */
const meta = ['import', 'meta'].join('.');
/** The expression that `withOrigin` replaces. */
const keptMembers = ['dirname', 'filename', 'url', 'main'];

/**
 * PURE. Throws if a module uses `import.meta` in a way that would name the bundle's folder instead of the module's own:
 * passed on as a whole, or through another member. Such a module would find its files from sources and not in a program.
 */
export function refuseMovingMeta(code: string, path: string): void {
  const withoutComments = code.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
  const other = new RegExp(`\\bimport\\.meta\\b(?!\\.(?:${keptMembers.join('|')})\\b)`).exec(withoutComments);
  if (other)
    throw new Error(
      `${path}: write ${meta}.dirname or ${meta}.url where a file is named; ${meta} itself changes in a bundle.`,
    );
}

/** PURE. Adds the module's values of `import.meta` to its code. `made`: the file that is started for it, if any. */
export function withOrigin(code: string, path: string, made?: string): string {
  const folder = JSON.stringify(dirname(path));
  const isMain = made === undefined ? 'false' : `(globalThis.process.argv[1] === ${JSON.stringify(made)})`;
  const reported = code
    .replaceAll(/\bimport\.meta\.dirname\b/g, () => folder)
    .replaceAll(/\bimport\.meta\.filename\b/g, () => JSON.stringify(path))
    .replaceAll(/\bimport\.meta\.url\b/g, () => JSON.stringify(pathToFileURL(path).href))
    .replaceAll(/\bimport\.meta\.main\b/g, () => isMain);
  const asksForFolder = /\b__dirname\b/.test(reported) && !/\b(const|let|var)\s+__dirname\b/.test(reported);
  return asksForFolder ? `const __dirname = ${folder};\n${reported}` : reported;
}

if (import.meta.main) {
  const [root, folder, ...paths] = process.argv.slice(2);
  await makePrograms(root!, folder!, [...programs, ...paths]);
}
