/** `berth up` without a local Docker: sends the source of a project, and the service builds its images. */
import { join } from 'node:path';
import { printWarnings } from '../../config/diagnostics/diagnostics.ts';
import { parseConfiguration } from '../../config/parse.ts';
import { openFiles } from '../../folder/folder-files.ts';
import { plainBuild } from '../../folder/plain-build.ts';
import type { Project } from '../../folder/project.ts';
import { maxSourceBytes } from '../../folder/source-limits.ts';
import type { SourceOptions } from '../../folder/source-options.ts';
import { draftFolder, lacksDocument, noteOf } from '../../folder/starter/draft-folder.ts';
import { type Docker, findDocker } from '../../push/docker/docker-command.ts';
import { bytesOf, type Entry, largestPaths } from '../../push/layers/folder-listing.ts';
import { packSource } from '../../push/layers/source-archive.ts';
import { listSource } from '../../push/layers/source-listing.ts';
import { deployShipment } from '../commands/deploy.ts';
import { skipUnchanged } from './last-sent.ts';
import { printSize } from './push-progress.ts';
import type { ReadProject } from './read-project.ts';
import type { UpContext } from './up-context.ts';

/** `docker`: undefined if no image is to be built. */
export type ImageBuilder = { kind: 'service' } | { kind: 'local'; docker: Docker | undefined };

/**
 * Chooses who builds the images: the service with `--remote`, or if no local Docker responds. Otherwise the local
 * Docker.
 */
export async function chooseBuilder({ options, streams, signal }: UpContext, project: Project): Promise<ImageBuilder> {
  if (options.remote === true) return { kind: 'service' };
  if (project.images.length === 0 && !lacksDocument(project)) return { kind: 'local', docker: undefined };
  try {
    return { kind: 'local', docker: await findDocker({ env: streams.env, signal }) };
  } catch (error) {
    if (signal.aborted) throw error;
    return { kind: 'service' };
  }
}

/** `rules`: a `.dockerignore` that the service will write. */
export type Drafted = { project: Project; rules?: string | undefined };

/** Source code without a document, as the service will read it. Any other project is returned as it is. */
export function draftProject(project: Project): Drafted {
  if (!lacksDocument(project)) return { project };
  const { folder } = project;
  const draft = draftFolder(openFiles(folder));
  if (draft.kind !== 'draft') return { project };
  const textOf = (file: string) => draft.files.find(({ name }) => name === file)?.content;
  const at = { file: 'Dockerfile', line: 1, column: 1 };
  const image = { ...plainBuild('./web:1', folder, join(folder, 'Dockerfile')), services: ['web'], at };
  const drafted: Project = {
    ...project,
    form: 'native',
    document: textOf('berth.yaml')!.replace(/^( {2}name: ).*$/m, `$1${project.name}`),
    images: [image],
    notes: [noteOf(draft), ...project.notes],
    refusals: [],
  };
  return { project: drafted, rules: textOf('.dockerignore') };
}

/** Lists what is sent. A text is the reason why the project cannot be sent. */
export async function listSent(
  { project, options }: ReadProject,
  rules: string | undefined,
): Promise<Entry[] | string> {
  const { allowed = [], fill = [] } = options;
  const outside = project.sources.find((source) => source.startsWith('..'));
  if (allowed.length > 0 || fill.length > 0 || outside !== undefined) {
    const what = outside ?? (fill.length > 0 ? '--fill' : '--allow');
    return `Only the folder itself is sent to a service that builds the images. For ${what}, use a local Docker.`;
  }
  const entries = await listSource(project, rules);
  if (bytesOf(entries) <= maxSourceBytes) return entries;
  const largest = largestPaths(entries, 3).map(({ path, sizeBytes }) => `${path} (${printSize(sizeBytes)})`);
  return `The folder has ${printSize(bytesOf(entries))}, and a service accepts ${printSize(maxSourceBytes)}. Name what the build does not need in .dockerignore or .gitignore. The largest: ${largest.join(', ')}.`;
}

/** `214 files, 1.2 MB` */
export function printSent(entries: readonly Entry[]): string {
  const files = entries.filter(({ kind }) => kind !== 'folder').length;
  return `${files} ${files === 1 ? 'file' : 'files'}, ${printSize(bytesOf(entries))}`;
}

/** Sends the files, unless the same files run already, and follows the deployment. Returns the exit status. */
export async function sendSource(
  context: UpContext,
  { project, options }: ReadProject,
  entries: readonly Entry[],
): Promise<number> {
  const archive = await packSource(entries, sentOptions({ project, options }), context.signal);
  try {
    const isMeant = context.options.new === true || context.options.force === true;
    const kept = isMeant ? undefined : await skipUnchanged(context, archive.digest);
    if (kept !== undefined) return kept;
    context.terminal.printNote(`Sending ${printSize(archive.body.size)}`);
    return await deployShipment(context, {
      body: archive.body,
      name: project.name,
      content: archive.digest,
      shown: shownWarnings(project),
    });
  } finally {
    await archive.remove();
  }
}

function sentOptions({ project, options }: ReadProject): SourceOptions {
  const { files, envFiles, without = [], profiles = [], name } = options;
  return {
    values: project.given,
    without: [...without],
    profiles,
    ...(files && { files }),
    ...(envFiles && { envFiles }),
    ...(name !== undefined && { name }),
  };
}

/** The findings of the plan, in the words of the service. */
function shownWarnings({ document, notes }: Project): string[] {
  const noted = notes.map(({ message, hint }) => (hint ? `${message} (${hint})` : message));
  return [...printWarnings(parseConfiguration(document).diagnostics), ...noted];
}
