/** The folder's project, with the options and the user's answers. */
import { posix } from 'node:path';
import type { FolderOptions, Project } from '../../folder/project.ts';
import { readFolder } from '../../folder/read-folder.ts';
import { askForFiles, askForValues, emptiable } from './missing-values.ts';
import { type Answers, readAnswers, saveAnswers } from './saved-answers.ts';
import type { UpContext } from './up-context.ts';

/** An answer may raise further questions, such as the services that run and the files that they read. */
const maxRounds = 5;

/** A project, and the options that it was read with. */
export type ReadProject = { project: Project; options: FolderOptions };

/** Prompts for missing values on a terminal and stores them. A text describes invalid arguments. */
export async function readProject(context: UpContext): Promise<ReadProject | string> {
  const { folder, terminal } = context;
  const options = optionsOf(context);
  if (typeof options === 'string') return options;
  const saved = await readAnswers(folder);
  const answers: Answers = { values: {}, without: [] };
  const empty: Record<string, string> = {};
  for (let round = 0; ; round += 1) {
    const all: FolderOptions = {
      ...options,
      values: { ...empty, ...saved.values, ...options.values, ...answers.values },
      without: [...saved.without, ...(options.without ?? []), ...answers.without],
    };
    const project = await readFolder(folder, all);
    const { questions, missingFiles, refusals } = project;
    const emptied = context.options.empty ? emptiable(questions) : [];
    if (emptied.length > 0 && round < maxRounds) {
      for (const name of emptied) empty[name] = '';
      continue;
    }
    const isRequested =
      questions.length + missingFiles.length > 0 && refusals.length === 0 && !context.options['dry-run'];
    if (!isRequested || round === maxRounds) return { project, options: all };
    const values = await askForValues(questions, context);
    const without = values && (await askForFiles(missingFiles, context));
    if (!without) return { project, options: all };
    Object.assign(answers.values, values);
    answers.without.push(...without);
    await saveAnswers(folder, {
      values: { ...saved.values, ...answers.values },
      without: [...saved.without, ...answers.without],
    });
    if (round === 0) terminal.printNote('The answers are kept in .berth/values.env, for you alone.');
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
    values,
    environment: streams.env,
    profiles: listOf(options.profile),
    fill: listOf(options.fill),
    without: listOf(options.without).map((file) => posix.normalize(file)),
    ...(files.length > 0 && { files }),
    ...(envFiles.length > 0 && { envFiles }),
    ...(typeof options.name === 'string' && { name: options.name }),
    ...(listOf(options.allow).length > 0 && { allowed: listOf(options.allow) }),
  };
}

function listOf(option: string | boolean | readonly string[] | undefined): string[] {
  return Array.isArray(option) ? [...(option as string[])] : [];
}
