/** Node from the very program that runs this: the `node` package of npm. */
import { existsSync, realpathSync } from 'node:fs';
import { copyFile, cp, mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { findProgram, run } from '../../commands.ts';
import type { Recipe } from '../build.ts';
import { addUser, librariesIn, link, type Root, take, takeLibraries } from '../root.ts';

export const node: Recipe = {
  image: 'node:26-slim',
  from: 'the npm package node',
  seconds: 5,
  packages: [],
  config: {
    Entrypoint: ['docker-entrypoint.sh'],
    Cmd: ['node'],
    Env: [`NODE_VERSION=${process.versions.node}`],
  },
  ownership: [{ path: '/home/node', user: 1000 }],
  assets: [
    {
      file: join(import.meta.dirname, 'docker-entrypoint.sh'),
      path: '/usr/local/bin/docker-entrypoint.sh',
      mode: 0o755,
    },
  ],
  async fill(root) {
    await addNodeProgram(root);
    await takeLibrariesOfModules(root);
    await link(root, '/usr/local/bin/nodejs', 'node');
    await addNpm(root);
    await addUser(root, 'node', 1000, '/home/node');
  },
};

/** The program alone, with its libraries. */
export async function addNodeProgram(root: Root): Promise<void> {
  const program = join(root.folder, 'usr/local/bin/node');
  const strip = await findProgram('strip');
  // Symbols are a fifth of the program and are only useful to debug Node itself.
  if (strip) await run([strip, `--output-file=${program}`, process.execPath]);
  else await copyFile(process.execPath, program);
  await takeLibraries(root, [process.execPath]);
}

/** Native modules of npm packages are linked with these parts of glibc, and Node itself is not. */
async function takeLibrariesOfModules(root: Root): Promise<void> {
  const libraries = librariesIn(await run(['ldd', process.execPath]));
  const libc = libraries.find((path) => basename(path) === 'libc.so.6');
  if (libc === undefined) return;
  for (const name of ['librt.so.1', 'libutil.so.1', 'libresolv.so.2']) await take(root, join(dirname(libc), name));
}

/** The npm that started this, so that `npm start` is a command as in the official image. */
async function addNpm(root: Root): Promise<void> {
  const entry = process.env.npm_execpath ?? (await findProgram('npm'));
  if (!entry) return;
  const folder = dirname(dirname(realpathSync(entry)));
  if (!existsSync(join(folder, 'bin/npm-cli.js'))) return;
  const target = join(root.folder, 'usr/local/lib/node_modules/npm');
  await mkdir(dirname(target), { recursive: true });
  await cp(folder, target, { recursive: true, filter: (path) => !/\/npm\/(docs|man)(\/|$)/.test(path) });
  await link(root, '/usr/local/bin/npm', '../lib/node_modules/npm/bin/npm-cli.js');
  await link(root, '/usr/local/bin/npx', '../lib/node_modules/npm/bin/npx-cli.js');
}
