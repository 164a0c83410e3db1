/** Reads the project in a folder. Reads files, and runs, sends and writes nothing. */
import { isCompose } from '../config/compose/compose.ts';
import { toApplicationName } from '../config/compose/compose-names.ts';
import { maxDocumentBytes } from '../config/document/source.ts';
import type { Tree } from '../config/document/tree.ts';
import { checkDocument, neededValues } from './check.ts';
import { readExamples } from './compose/environment.ts';
import { loadCompose } from './compose/load.ts';
import { readCompose } from './compose/read-compose.ts';
import { baseOf, findDocuments, shownPaths } from './find-documents.ts';
import { type Findings, openFindings } from './findings.ts';
import { type FolderFiles, openFiles, shownPath } from './folder-files.ts';
import { openVariables, type Variables } from './local-variables.ts';
import { readLoneDockerfile } from './lone-dockerfile.ts';
import { readNative } from './native/read-native.ts';
import type { FolderOptions, Project } from './project.ts';
import { readText } from './read-text.ts';

/**
 * All problems of the folder's contents are refusals of the project, even if it contains nothing to run.
 * @throws if the folder itself does not exist.
 */
export async function readFolder(folder: string, options: FolderOptions = {}): Promise<Project> {
  const files = openFiles(folder, [...(options.allowed ?? []), ...(options.repositories?.values() ?? [])]);
  const findings = openFindings();
  const empty: Project = {
    folder: files.folder,
    name: options.name ?? toApplicationName(files.folder.split('/').at(-1) ?? ''),
    form: 'compose',
    sources: [],
    document: '',
    images: [],
    fills: [],
    notes: findings.notes,
    refusals: findings.refusals,
    questions: [],
    missingFiles: [],
    given: {},
    repositories: findings.repositories,
  };
  const first = openVariables(files.folder, options, files, findings);
  const listed = first.lookup('COMPOSE_FILE')?.split(first.lookup('COMPOSE_PATH_SEPARATOR') ?? ':') ?? [];
  const found = findDocuments(options.files?.length ? options.files : listed, files, findings);
  if (found.kind === 'nothing') return empty;
  const paths = found.kind === 'dockerfile' ? [found.path] : found.paths;
  const base = baseOf(paths);
  const variables = base === files.folder ? first : openVariables(base, options, files, findings);
  const start = { ...empty, sources: shownPaths(files, paths) };
  const project =
    found.kind === 'dockerfile'
      ? readLoneDockerfile(found.path, start, { files, findings, options })
      : readDocuments(paths, base, start, variables, { files, findings, options });
  reportShell(variables, findings);
  const missingFiles = [...findings.missingFiles].map(([file, { at, example }]) => ({
    file,
    at: findings.placeOf(at),
    ...(example !== undefined && { example }),
  }));
  const given = { ...Object.fromEntries(first.given), ...Object.fromEntries(variables.given) };
  return { ...project, missingFiles, given, sources: [...new Set([...project.sources, ...variables.sources])] };
}

type Context = { files: FolderFiles; findings: Findings; options: FolderOptions };

function readDocuments(
  paths: readonly string[],
  base: string,
  start: Project,
  variables: Variables,
  context: Context,
): Project {
  const { files, findings, options } = context;
  const main = readMain(paths[0]!, context);
  if (!main) return start;
  const { tree, text } = main;
  if (tree && !isCompose({ root: tree })) return readNative({ text, tree }, start, variables, { ...context, base });
  const loaded = tree && loadCompose(paths, variables, { files, findings, home: options.environment?.HOME });
  const proposed = readExamples(base, files, findings);
  if (!loaded) return { ...start, questions: neededValues(variables, proposed, findings) };
  const sources = [...loaded.sources];
  const read = readCompose(loaded.tree, { ...context, variables, sources });
  const checked = checkDocument(read.tree, variables, (name) => read.examples.get(name) ?? proposed(name), findings);
  return { ...start, ...checked, name: read.name, sources, images: read.images, fills: read.fills };
}

/** The main file, to see which form it has; undefined when it cannot be read, which is refused. */
function readMain(path: string, { files, findings }: Context): { text: string; tree: Tree | undefined } | undefined {
  const text = readText(path, { files, findings, maxBytes: maxDocumentBytes });
  return text === undefined ? undefined : { text, tree: findings.readYaml(shownPath(files, path), text) };
}

function reportShell({ fromShell }: Variables, findings: Findings): void {
  const names = [...fromShell].filter((name) => !name.startsWith('COMPOSE_')).sort();
  if (names.length === 0) return;
  findings.note('shell-variables', `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} taken from the shell`);
}
