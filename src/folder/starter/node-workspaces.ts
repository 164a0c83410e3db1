/** Monorepos of Node: the package among the workspaces that is the application. */
import { join } from 'node:path';
import { type Document, parseDocument } from 'yaml';
import type { FolderFiles } from '../folder-files.ts';
import { type Package, readPackage } from './node-package.ts';
import { isThere, readText } from './texts.ts';

export type Workspace = { folder: string; found: Package };

/** The maximum number of packages that are read. */
const maxPackages = 200;

/**
 * Returns the deployable packages: those with a start script or a build. Packages in `apps` or `services` are
 * applications. Packages in `packages` are only used without those.
 */
export function applicationsOf(files: FolderFiles, found: Package): Workspace[] {
  const folders = patternsOf(files, found).flatMap((pattern) => foldersOf(files, pattern));
  const named = folders.filter((folder) => /^[\w./@-]+$/.test(folder)).slice(0, maxPackages);
  const packages = named.flatMap((folder) => {
    const inside = readPackage(files, folder);
    return inside ? [{ folder, found: inside }] : [];
  });
  const started = packages.filter(({ found: { scripts } }) => scripts.start !== undefined);
  const apps = packages.filter(
    ({ folder, found: { scripts } }) => /^(?:apps|services)\//.test(folder) && scripts.build,
  );
  return started.length > 0 ? started : apps;
}

/** Returns the command that builds one package, after the packages of the workspace that it depends on. */
export function buildOfWorkspace(files: FolderFiles, { folder }: Workspace): string {
  if (isThere(files, 'turbo.json')) return `npx turbo run build --filter=./${folder}`;
  if (isThere(files, 'pnpm-lock.yaml')) return `pnpm --filter ./${folder}... run build`;
  if (isThere(files, 'yarn.lock') && isThere(files, '.yarnrc.yml')) return 'yarn workspaces foreach -Apt run build';
  return 'npm run build --workspaces --if-present';
}

function patternsOf(files: FolderFiles, { workspaces }: Package): string[] {
  const text = readText(files, 'pnpm-workspace.yaml');
  return text === undefined ? workspaces : packagesOf(parseDocument(text));
}

function packagesOf(document: Document): string[] {
  if (document.errors.length > 0) return [];
  const { packages } = (document.toJS({ maxAliasCount: 0 }) ?? {}) as { packages?: unknown };
  return Array.isArray(packages) ? packages.filter((one) => typeof one === 'string') : [];
}

/** `apps/*` matches each folder in `apps`. Other patterns are the name of one folder. */
function foldersOf(files: FolderFiles, pattern: string): string[] {
  const parent = /^(?:\.\/)?([\w./@-]+)\/\*{1,2}$/.exec(pattern)?.[1];
  if (parent === undefined) return [pattern];
  const path = join(files.folder, parent);
  if (files.look(path).kind !== 'folder') return [];
  return files.list(path, maxPackages).map(({ name }) => `${parent}/${name}`);
}
