/** A first document for a folder that has none, written from its files; with a Dockerfile if that is missing too. */
import { basename, join } from 'node:path';
import { toApplicationName } from '../../config/compose/compose-names.ts';
import { readDockerfile } from '../dockerfile.ts';
import { findDocuments, isComposeName } from '../find-documents.ts';
import { openFindings } from '../findings.ts';
import { type FolderFiles, shownPath } from '../folder-files.ts';
import { portOf } from '../lone-dockerfile.ts';
import type { Finding, Project } from '../project.ts';
import { dockerfileOf, type Recipe } from './recipe.ts';
import { lookedFor, recipeOf } from './recipes.ts';
import { readText } from './texts.ts';

export type Draft =
  /** `berth up` uses an existing file. */
  | { kind: 'there'; file: string; isCompose: boolean }
  | { kind: 'nothing'; lookedFor: string[] }
  /** `berth.yaml` is written last. If it exists, all files that it needs exist. */
  | { kind: 'draft'; found: string; port: number; isGuess: boolean; files: { name: string; content: string }[] };

/** Returns whether a draft may replace what `readFolder` has refused. */
export function lacksDocument({ refusals }: Pick<Project, 'refusals'>): boolean {
  return refusals.some(({ code }) => code === 'nothing-found' || code === 'no-port');
}

/** Names the source of a draft, and whether it is a guess. */
export function noteOf({ found, port, isGuess }: Draft & { kind: 'draft' }): Finding {
  const guess = isGuess ? ` The port ${port} is a guess: set it with EXPOSE, or in a berth.yaml.` : '';
  return { code: 'recipe', message: `Built from ${found}.${guess}` };
}

/** Files that an image does not need, and private files of the developer. */
const ignored = ['.git', '.berth', '.env', '.env.local', 'berth.yaml', 'Dockerfile', '.dockerignore'];

export function draftFolder(files: FolderFiles): Draft {
  const found = findDocuments([], files, openFindings());
  if (found.kind === 'documents') {
    const file = shownPath(files, found.paths[0]!);
    return { kind: 'there', file, isCompose: isComposeName(file) };
  }
  if (found.kind === 'dockerfile') return fromDockerfile(found.path, files);
  const recipe = recipeOf(files);
  if (!recipe) return { kind: 'nothing', lookedFor };
  const hasIgnored = files.look(join(files.folder, '.dockerignore')).kind !== 'missing';
  const names = [...ignored, ...recipe.ignored];
  const { found: what, port, isGuess } = recipe;
  return {
    kind: 'draft',
    found: what,
    port,
    isGuess,
    files: [
      { name: 'Dockerfile', content: dockerfileOf(recipe) },
      ...(hasIgnored ? [] : [{ name: '.dockerignore', content: `${names.join('\n')}\n` }]),
      { name: 'berth.yaml', content: documentOf(files, recipe) },
    ],
  };
}

function fromDockerfile(path: string, files: FolderFiles): Draft {
  const found = shownPath(files, path);
  const image = readDockerfile(readText(files, found) ?? '');
  const reported = image && portOf(image);
  const port = reported ?? recipeOf(files)?.port ?? 3000;
  const isGuess = reported === undefined;
  const content = documentOf(files, { port, isGuess });
  return { kind: 'draft', found, port, isGuess, files: [{ name: 'berth.yaml', content }] };
}

function documentOf(files: FolderFiles, { port, isGuess }: Pick<Recipe, 'port' | 'isGuess'>): string {
  const name = toApplicationName(basename(files.folder));
  const guess = isGuess ? ' # a guess: the port that the program listens on' : '';
  const hasValues = files.look(join(files.folder, '.env')).kind === 'file';
  const vars = hasValues ? '      # vars: { NAME: "${NAME}" } # with the value that .env has\n' : '';
  return `application:
  name: ${name}
  pods:
    - name: web
      image: ./web:1 # built from the Dockerfile in this folder
      path: /
      servicePorts: [${port}]${guess}
${vars}`;
}
