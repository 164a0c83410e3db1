/** Finds the files of a folder that describe an application. */
import { dirname, resolve } from 'node:path';
import type { Findings } from './findings.ts';
import { type FolderFiles, shownPath } from './folder-files.ts';

export type Found =
  /** The first one is the main one, followed by an override file. */
  { kind: 'documents'; paths: string[] } | { kind: 'dockerfile'; path: string } | { kind: 'nothing' };

const native = ['berth.yaml', 'berth.yml', 'nexlayer.yaml', 'nexlayer.yml'];
const compose = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];
/** Possible names of a Dockerfile. */
export const dockerfileNames = ['Dockerfile', 'Containerfile', 'dockerfile'];

/** `named`: the paths of `-f`, relative to the folder. If no file is found, the refusal lists the names searched. */
export function findDocuments(named: readonly string[], files: FolderFiles, findings: Findings): Found {
  const { folder } = files;
  if (named.length > 0) {
    const paths = named.map((name) => resolve(folder, name));
    return { kind: 'documents', paths };
  }
  const first = (names: readonly string[]) =>
    names.map((name) => resolve(folder, name)).find((path) => files.look(path).kind !== 'missing');
  const own = first(native);
  if (own) return { kind: 'documents', paths: [own] };
  const main = first(compose);
  if (main) {
    const names = compose.map((name) => name.replace('compose.', 'compose.override.'));
    const override = first(names);
    return { kind: 'documents', paths: [main, ...(override ? [override] : [])] };
  }
  const dockerfile = first(dockerfileNames);
  if (dockerfile) return { kind: 'dockerfile', path: dockerfile };
  findings.refuse(
    'nothing-found',
    `there is nothing to run in ${folder}: looked for ${[...native, ...compose, 'Dockerfile'].join(', ')}`,
    undefined,
    'name the file with -f, let "berth init" write a first document for what is here, or send the source with --remote',
  );
  return { kind: 'nothing' };
}

export function isComposeName(name: string): boolean {
  return compose.includes(name);
}

/** The folder that relative paths begin at: that of the first file. */
export function baseOf(paths: readonly string[]): string {
  return dirname(paths[0]!);
}

export function shownPaths(files: FolderFiles, paths: readonly string[]): string[] {
  return paths.map((path) => shownPath(files, path));
}
