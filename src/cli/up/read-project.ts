/** The folder's project, with what the options say and what somebody answers. */
import type { FolderOptions, Project } from '../../folder/project.ts';
import { readFolder } from '../../folder/read-folder.ts';
import { recallValues, rememberValues } from './asked-values.ts';
import { askForValues } from './missing-values.ts';
import type { UpContext } from './up-context.ts';

/** An answer may bring further questions: which services run, and which files they read. */
const mostRounds = 5;

/** Asks for what is missing, where somebody can be asked; it is kept for the next time. A text says which words are wrong. */
export async function readProject(context: UpContext): Promise<Project | string> {
  const { folder, terminal } = context;
  const options = optionsOf(context);
  if (typeof options === 'string') return options;
  const remembered = await recallValues(folder);
  const given = { ...remembered, ...options.values };
  const answers: Record<string, string> = {};
  for (let round = 0; ; round += 1) {
    const project = await readFolder(folder, { ...options, values: { ...given, ...answers } });
    const isAsked = project.questions.length > 0 && project.refusals.length === 0 && !context.options['dry-run'];
    if (!isAsked || round === mostRounds) return project;
    const more = await askForValues(project.questions, context);
    if (!more) return project;
    Object.assign(answers, more);
    await rememberValues(folder, { ...remembered, ...answers });
    if (round === 0) terminal.note('The values are kept in .berth/values.env, for you alone.');
  }
}

function optionsOf({ options, streams }: UpContext): FolderOptions | string {
  const values: Record<string, string> = {};
  for (const given of listOf(options.env)) {
    const [, name, value] = /^([A-Za-z_][\w.-]*)=([\s\S]*)$/.exec(given) ?? [];
    if (name === undefined) return `Write --env NAME=VALUE instead of "${given.split('=')[0]}".`;
    values[name] = value!;
  }
  const files = listOf(options.file);
  const envFiles = listOf(options['env-file']);
  return {
    ...{ values, environment: streams.env, profiles: listOf(options.profile), fill: listOf(options.fill) },
    ...(files.length > 0 && { files }),
    ...(envFiles.length > 0 && { envFiles }),
    ...(typeof options.name === 'string' && { name: options.name }),
    ...(listOf(options.allow).length > 0 && { allowed: listOf(options.allow) }),
  };
}

function listOf(option: string | boolean | readonly string[] | undefined): string[] {
  return Array.isArray(option) ? [...(option as string[])] : [];
}
