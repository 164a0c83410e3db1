/** The lines that install the packages of a Node program, with the package manager whose lock file is in the folder. */
import { join } from 'node:path';
import type { FolderFiles } from '../folder-files.ts';
import { nodeImage, type Package } from './node-package.ts';
import { isThere } from './texts.ts';

export type Manager = {
  image: string;
  /** Undefined without a lock file. */
  lock: string | undefined;
  /** Commands that prepare the manager, if the image lacks it. */
  prepare: string[];
  /** Commands that install all packages, or all except development tools. */
  install: { all: string; production: string };
  /** Removes the tools after a build. */
  prune: string;
  /** Runs a script of the package, as words. */
  run(script: string): string[];
};

const npmRun = (script: string) => (script === 'start' ? ['npm', 'start'] : ['npm', 'run', script]);

export function managerOf(files: FolderFiles, found: Package): Manager {
  const image = nodeImage(files, found);
  const bun = ['bun.lock', 'bun.lockb'].find((lock) => isThere(files, lock));
  if (bun !== undefined) {
    const [all, production] = ['bun install --frozen-lockfile', 'bun install --frozen-lockfile --production'];
    const run = (script: string) => ['bun', 'run', script];
    return {
      image: 'oven/bun:1-slim',
      lock: bun,
      prepare: [],
      install: { all, production },
      prune: `rm -rf node_modules && ${production}`,
      run,
    };
  }
  if (isThere(files, 'pnpm-lock.yaml')) {
    return {
      image,
      lock: 'pnpm-lock.yaml',
      prepare: [`npm install -g pnpm${versionOf(found, 'pnpm')}`],
      install: { all: 'pnpm install --frozen-lockfile', production: 'pnpm install --frozen-lockfile --prod' },
      prune: 'CI=true pnpm prune --prod --ignore-scripts',
      run: npmRun,
    };
  }
  if (isThere(files, 'yarn.lock')) {
    // Yarn 2 and later have a configuration of their own, and no command that removes the tools.
    const isModern = isThere(files, '.yarnrc.yml');
    const frozen = isModern
      ? 'YARN_NODE_LINKER=node-modules yarn install --immutable'
      : 'yarn install --frozen-lockfile';
    return {
      image,
      lock: 'yarn.lock',
      prepare: [isModern ? 'npm install -g --force corepack && corepack enable' : 'npm install -g --force yarn'],
      install: { all: frozen, production: isModern ? frozen : `${frozen} --production` },
      prune: isModern ? 'true' : `${frozen} --production --ignore-scripts --prefer-offline`,
      run: npmRun,
    };
  }
  const lock = ['package-lock.json', 'npm-shrinkwrap.json'].find((name) => isThere(files, name));
  const command = lock === undefined ? 'npm install' : 'npm ci';
  return {
    image,
    lock,
    prepare: [],
    install: { all: command, production: `${command} --omit=dev` },
    prune: 'npm prune --omit=dev',
    run: npmRun,
  };
}

/** `@10.20.0`, if the package names this version of its manager: another version may refuse the lock file. */
function versionOf({ packageManager }: Package, manager: string): string {
  const [name, version = ''] = (packageManager ?? '').split('+')[0]!.split('@');
  return name === manager && /^\d+\.\d+\.\d+$/.test(version) ? `@${version}` : '';
}

/** Further files that an installation reads, in addition to `package.json` and the lock file. */
const readByInstall = ['.npmrc', '.yarnrc.yml', 'pnpm-workspace.yaml'];

/**
 * Copies the files that the installation reads, installs, and copies the rest with `copy`. The packages stay in the
 * layer cache until one of those files changes. The installation of a monorepo, or of a package with an install script,
 * may read any file.
 */
export function installLines(
  files: FolderFiles,
  found: Package,
  { prepare, install, lock }: Manager,
  { packages, copy }: { packages: 'all' | 'production'; copy: string },
): string[] {
  const installs = [...prepare, install[packages]].map((command) => `RUN ${command}`);
  if (readsEverything(files, found)) return [copy, ...installs];
  const read = ['package.json', ...(lock ? [lock] : []), ...readByInstall.filter((name) => isThere(files, name))];
  return [`COPY ${read.join(' ')} ./`, ...installs, copy];
}

/** Folders that an installation reads: packages named as `file:vendor/…`, patches, and the schema of Prisma. */
const foldersRead = ['vendor', 'patches', 'packages', '.yarn', 'prisma'];

function readsEverything(files: FolderFiles, { workspaces, scripts }: Package): boolean {
  const isMonorepo = workspaces.length > 0 || isThere(files, 'pnpm-workspace.yaml');
  const hasScript = ['preinstall', 'install', 'postinstall', 'prepare'].some((name) => scripts[name] !== undefined);
  return isMonorepo || hasScript || foldersRead.some((name) => files.look(join(files.folder, name)).kind === 'folder');
}
