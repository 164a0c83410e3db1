/** Plans an unpacked source: the document of an application, and the images that are built for it. */
import { lstatSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openFiles } from '../folder/folder-files.ts';
import type { Finding, FolderOptions, ImageToMake, Project, WantedRepository } from '../folder/project.ts';
import { readFolder } from '../folder/read-folder.ts';
import type { SourceOptions } from '../folder/source-options.ts';
import { draftFolder, lacksDocument, noteOf } from '../folder/starter/draft-folder.ts';
import { takeSourceOptions } from './read-source-options.ts';

export type PlannedSource = {
  name: string;
  /** A complete document. It names the images to build as `./web:1`. */
  document: string;
  images: ImageToMake[];
  /** Notes about parts that were understood, left out or guessed. */
  notes: Finding[];
  /** Files that the service wrote, because the source lacks them: a Dockerfile and others. */
  written: { name: string; content: string }[];
  /** The reasons why the source cannot be deployed. If empty, the document is complete. */
  refusals: Finding[];
  /** Repositories to fetch before the source is planned again. */
  repositories: WantedRepository[];
  /** The options of the source, which are no longer in its folder. */
  options: SourceOptions;
};

/**
 * `document`: a configuration that replaces the one in the source. `repositories` and `options`: from an earlier plan
 * of the same source.
 */
export type Planning = {
  folder: string;
  name?: string | undefined;
  document?: string | undefined;
  repositories?: ReadonlyMap<string, string>;
  options?: SourceOptions;
};

const documentFile = 'berth.yaml';

/**
 * Reads the source in `folder`. Without a document, writes one, and a Dockerfile if that is missing, too. An
 * application without a name is named after its folder, or `name`.
 */
export async function planSource(planning: Planning): Promise<PlannedSource> {
  const { folder, name, document, repositories } = planning;
  // The paths of a document that was sent begin at the folder itself.
  const root = document === undefined ? rootOf(folder, name) : folder;
  const taken = planning.options ? { options: planning.options } : takeSourceOptions(root);
  if ('refusal' in taken) return refused(taken.refusal);
  const { options } = taken;
  const read = async (more: FolderOptions = {}) =>
    await readFolder(root, { ...options, ...(repositories && { repositories }), ...more });
  const drafts = [...(repositories?.values() ?? [])].flatMap(draftDockerfile);
  const planned = (project: Project) => {
    const plan = plannedFrom(project, options, document !== undefined);
    return { ...plan, notes: [...drafts, ...plan.notes] };
  };
  if (document !== undefined) {
    const file = join(root, documentFile);
    rmSync(file, { recursive: true, force: true });
    writeFileSync(file, document, { flag: 'wx' });
    const plan = planned(await read({ files: [documentFile] }));
    // The document as it was sent may contain a token, and the file may get into an image.
    writeFileSync(file, plan.document);
    return plan;
  }
  const project = await read();
  if (!lacksDocument(project)) return planned(project);
  const draft = draftFolder(openFiles(root));
  if (draft.kind === 'nothing') return { ...planned(project), refusals: [nothingToRun(draft.lookedFor)] };
  if (draft.kind === 'there') return planned(project);
  for (const { name: file, content } of draft.files) writeFileSync(join(root, file), content, { flag: 'wx' });
  const drafted = planned(await read());
  return { ...drafted, written: draft.files, notes: [noteOf(draft), ...drafted.notes] };
}

/** Writes a Dockerfile into a repository without one. Returns a note about it. */
function draftDockerfile(repository: string): Finding[] {
  const draft = draftFolder(openFiles(repository));
  if (draft.kind !== 'draft') return [];
  const added = draft.files.filter(({ name }) => name !== documentFile);
  for (const { name, content } of added) writeFileSync(join(repository, name), content, { flag: 'wx' });
  return added.length > 0 ? [noteOf(draft)] : [];
}

/** An archive of a folder often has that folder as its only entry. */
function rootOf(folder: string, name: string | undefined): string {
  const [only, ...others] = readdirSync(folder);
  const isSingle = only !== undefined && others.length === 0 && lstatSync(join(folder, only)).isDirectory();
  const root = isSingle ? join(folder, only) : folder;
  if (name === undefined) return root;
  const named = join(dirname(root), name);
  if (named !== root) renameSync(root, named);
  return named;
}

function refused(refusal: Finding): PlannedSource {
  const nothing = { images: [], notes: [], written: [], repositories: [] };
  return { name: '', document: '', ...nothing, options: {}, refusals: [refusal] };
}

/** `isSent`: the document came with the request. */
function plannedFrom(project: Project, options: SourceOptions, isSent: boolean): PlannedSource {
  const { name, document, images, notes, refusals, questions, missingFiles, fills, repositories } = project;
  const missing: Finding[] = [
    ...questions.map(({ name: variable, at, why }) => ({
      code: 'missing-value',
      message: `The variable ${variable} has no value${why ? ` (${why})` : ''}.`,
      hint: isSent ? 'Write the value instead.' : 'Add it to a file named .env in the archive.',
      at,
    })),
    ...missingFiles.map(({ file, at }) => ({
      code: 'missing-file',
      message: `The file ${file} is missing.`,
      hint: 'Add it to the archive.',
      at,
    })),
  ];
  const unsupported = fills.length > 0 ? [fillsNothing] : [];
  const reasons = [...refusals, ...missing, ...unsupported];
  // The files of a repository may resolve other refusals: they contain the ports of a pod.
  const isFetchable = missing.length === 0 && refusals.every(({ code }) => code !== 'bad-source');
  const wanted = isFetchable ? repositories : [];
  return { ...{ name, document, images, notes, options, written: [] }, refusals: reasons, repositories: wanted };
}

function nothingToRun(lookedFor: readonly string[]): Finding {
  return {
    code: 'nothing-found',
    message: `Nothing in the archive says how the application is built and started. A berth.yaml, a Compose file, ${lookedFor.join(', ')} can say it.`,
    hint: 'Add a Dockerfile, or a start script to package.json, or send the folder that contains the project.',
  };
}

const fillsNothing: Finding = {
  code: 'unsupported',
  message: 'Volumes cannot be filled from a source archive.',
  hint: 'Use berth up --fill with a local Docker.',
};
