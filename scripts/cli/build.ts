/**
 * `npm run build:cli`: packs the command and the client into `dist/berth`, without dependencies, for Node 20 or newer.
 * `npm pack dist/berth` makes the package that `npx` runs. Modules of the command are loaded on demand: as one file of
 * 1 MB, `berth --help` took 138 ms of processor time instead of 96, and a check 176 instead of 150 (Node 20, medians on
 * a busy machine, where Node alone takes 71).
 */
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type OutputOptions, rolldown } from 'rolldown';
import { compiledValidator } from '../compiled-validator.ts';

const root = join(import.meta.dirname, '../..');
export const packageFolder = join(root, 'dist/berth');
const run = promisify(execFile);

/** Transpiles syntax that Node 20 does not support, such as `await using`. */
const target = 'node20';

/** Writes the package into `folder`, replacing the previous one. */
export async function buildPackage(folder: string = packageFolder): Promise<void> {
  await mkdir(join(folder, '..'), { recursive: true });
  const made = await mkdtemp(`${folder}-`);
  try {
    const command = { entryFileNames: 'berth.mjs', chunkFileNames: 'parts/[name]-[hash].mjs' };
    await bundle('src/cli/packaged.ts', 'node', { dir: made, ...command });
    await chmod(join(made, 'berth.mjs'), 0o755);
    await bundle('src/client/client.ts', 'browser', { file: join(made, 'client.js'), codeSplitting: false });
    await writeTypes(join(made, 'types'));
    await writeFile(join(made, 'package.json'), `${JSON.stringify(await manifest(), undefined, 2)}\n`);
    await copyFile(join(root, 'LICENSE'), join(made, 'LICENSE'));
    await copyFile(join(root, 'docs/reference/cli.md'), join(made, 'README.md'));
    await chmod(made, 0o755);
    await rm(folder, { recursive: true, force: true });
    await rename(made, folder);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

async function bundle(entry: string, platform: 'node' | 'browser', output: OutputOptions) {
  const alias = { '@modelcontextprotocol/server/_shims': join(import.meta.dirname, 'mcp-shims.ts') };
  const input = join(root, entry);
  const plugins = [compiledValidator()];
  const made = await rolldown({ input, platform, plugins, resolve: { alias }, transform: { target } });
  await made.write({ ...output, format: 'esm', minify: true });
  await made.close();
}

/** Writes the declarations of the client, with imports of existing files. */
async function writeTypes(folder: string): Promise<void> {
  const tsc = join(root, 'node_modules/.bin/tsc');
  const flags = ['--declaration', '--emitDeclarationOnly', '--ignoreConfig', '--skipLibCheck', '--strict'];
  const language = ['--target', 'esnext', '--module', 'nodenext', '--allowImportingTsExtensions', '--types', 'node'];
  const sources = ['--rootDir', join(root, 'src'), '--outDir', folder, join(root, 'src/client/client.ts')];
  await run(tsc, [...flags, ...language, ...sources], { cwd: root });
  // The package does not contain the solver of proofs of work.
  await rm(join(folder, 'lib'), { recursive: true });
  const client = join(folder, 'client');
  for (const name of await readdir(client)) {
    const text = await readFile(join(client, name), 'utf8');
    await writeFile(join(client, name), text.replaceAll(/(from\s+["']\.[^"']*)\.ts(["'])/g, '$1.js$2'));
  }
}

async function manifest() {
  const { name, version, license, description } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const client = { types: './types/client/client.d.ts', default: './client.js' };
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { berth: 'berth.mjs' },
    exports: { './client': client },
    engines: { node: '>=20' },
  };
}

if (import.meta.main) {
  await buildPackage();
  console.log(`The package is in ${packageFolder}.`);
}
