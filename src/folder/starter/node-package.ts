/** Reads from a `package.json` how the program is built and started. */
import { join } from 'node:path';
import semver from 'semver';
import type { FolderFiles } from '../folder-files.ts';
import { readText } from './texts.ts';

export type Package = {
  scripts: Record<string, string>;
  main: string | undefined;
  /** Names of all dependencies, those for development included. */
  dependencies: Set<string>;
  /** Names of packages for development only. */
  tools: Set<string>;
  /** The versions of Node that `engines` accepts. */
  engine: string | undefined;
  /** `pnpm@10.20.0`, with the hash that may follow it. */
  packageManager: string | undefined;
  /** Patterns of the folders of its workspaces. */
  workspaces: string[];
};

/** The default version of Node. */
const usualNode = 26;
const oldestNode = 16;

/** Undefined for a file that is missing or no JSON. `folder`: relative to that of `files`. */
export function readPackage(files: FolderFiles, folder = '.'): Package | undefined {
  const text = readText(files, join(folder, 'package.json'));
  if (text === undefined) return undefined;
  try {
    const read = mapOf(JSON.parse(text));
    const tools = Object.keys(mapOf(read.devDependencies));
    const { main, packageManager, workspaces } = read;
    const engine = mapOf(read.engines).node;
    const listed = Array.isArray(workspaces) ? workspaces : mapOf(workspaces).packages;
    return {
      scripts: Object.fromEntries(Object.entries(mapOf(read.scripts)).filter(isText)),
      main: typeof main === 'string' ? main : undefined,
      dependencies: new Set([...Object.keys(mapOf(read.dependencies)), ...tools]),
      tools: new Set(tools),
      engine: typeof engine === 'string' ? engine : undefined,
      packageManager: typeof packageManager === 'string' ? packageManager : undefined,
      workspaces: Array.isArray(listed) ? listed.filter((one) => typeof one === 'string') : [],
    };
  } catch {
    // The file is not valid JSON, so nothing can be started.
    return undefined;
  }
}

/**
 * Returns the Node image for a package: the version in `.nvmrc` or `.node-version`, or the newest one that `engines`
 * accepts.
 */
export function nodeImage(files: FolderFiles, { engine }: Package): string {
  const written = readText(files, '.nvmrc') ?? readText(files, '.node-version');
  const chosen = /^v?(\d{2})(?:\.|\s|$)/.exec(written?.trim() ?? '')?.[1];
  return `node:${chosen ?? newestAccepted(engine)}-slim`;
}

function newestAccepted(engine: string | undefined): number {
  if (engine === undefined || !semver.validRange(engine)) return usualNode;
  for (let major = usualNode; major >= oldestNode; major--) if (semver.intersects(engine, `${major}.x`)) return major;
  return usualNode;
}

function isText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string';
}

function mapOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
