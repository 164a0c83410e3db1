/** Plans an unpacked source: the document of an application, and the images that are built for it. */
import { lstatSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openFiles } from '../folder/folder-files.ts';
import type { Finding, ImageToMake, Project } from '../folder/project.ts';
import { readFolder } from '../folder/read-folder.ts';
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
  /** Why the source cannot be deployed; without one, the document is complete. */
  refusals: Finding[];
};

/** `document`: a configuration that takes the place of the one in the source. */
export type Planning = { folder: string; name?: string | undefined; document?: string | undefined };

const documentFile = 'berth.yaml';

/**
 * Reads the source in `folder`. For one without a document, writes a document, and a Dockerfile if that is missing too. An
 * application whose name is in no file is called like its folder, or `name`.
 */
export async function planSource({ folder, name, document }: Planning): Promise<PlannedSource> {
  // The paths of a document that was sent begin at the folder itself.
  const root = document === undefined ? rootOf(folder, name) : folder;
  const taken = takeSourceOptions(root);
  if ('refusal' in taken) return refused(taken.refusal);
  if (document !== undefined) {
    const file = join(root, documentFile);
    rmSync(file, { recursive: true, force: true });
    writeFileSync(file, document, { flag: 'wx' });
    return plannedFrom(await readFolder(root, { ...taken.options, files: [documentFile] }));
  }
  const project = await readFolder(root, taken.options);
  if (!lacksDocument(project)) return plannedFrom(project);
  const draft = draftFolder(openFiles(root));
  if (draft.kind !== 'draft') return { ...plannedFrom(project), refusals: [nothingToRun] };
  for (const { name: file, content } of draft.files) writeFileSync(join(root, file), content, { flag: 'wx' });
  const drafted = plannedFrom(await readFolder(root, taken.options));
  return { ...drafted, written: draft.files, notes: [noteOf(draft), ...drafted.notes] };
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
  return { name: '', document: '', images: [], notes: [], written: [], refusals: [refusal] };
}

function plannedFrom({
  name,
  document,
  images,
  notes,
  refusals,
  questions,
  missingFiles,
  fills,
}: Project): PlannedSource {
  const missing: Finding[] = [
    ...questions.map(({ name: variable, at, why }) => ({
      code: 'missing-value',
      message: `The variable ${variable} has no value${why ? ` (${why})` : ''}.`,
      hint: 'Add it to a file named .env in the archive.',
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
  return { name, document, images, notes, written: [], refusals: [...refusals, ...missing, ...unsupported] };
}

const nothingToRun: Finding = {
  code: 'nothing-found',
  message:
    'The archive has no berth.yaml, Compose file, Dockerfile, package.json, requirements.txt or index.html at its top.',
  hint: 'Add a Dockerfile, or send the folder that contains the project.',
};

const fillsNothing: Finding = {
  code: 'unsupported',
  message: 'Volumes cannot be filled from a source archive.',
  hint: 'Use berth up --fill with a local Docker.',
};
