/** Values and files that a project lacks: prompts with a terminal, and the error without one. */
import { quote } from 'shlex';
import type { MissingFile, MissingValue } from '../../folder/project.ts';
import { printable } from '../render.ts';
import { placed } from './up-plan.ts';

/** More values do not fit on a screen. The result for programs has all. */
const shownValues = 20;
/** Up to this many values, each has its own prompt. */
const fewValues = 3;

export type Asker = {
  /** Undefined without an answer. */
  ask(question: string, asking: { isSecret: boolean }): Promise<string | undefined>;
  confirm(question: string, asking: { isYes: boolean }): Promise<boolean | undefined>;
};

/** @param sources The files that the project was read from. */
export function printMissing(questions: readonly MissingValue[], sources: readonly string[]): string[] {
  const lines = questions.slice(0, shownValues).map(({ name, at, why, suggestion }) => {
    const proposed = suggestion?.value ? ` (${suggestion.file} has ${suggestion.value})` : '';
    return printable(`${placed(at)}${name} has no value${why ? `: ${why}` : ''}${proposed}.`);
  });
  if (questions.length > shownValues)
    lines.push(`… and ${questions.length - shownValues} more; --json names them all.`);
  if (questions.length === 1) lines.push(`  Write it into .env, or give --env ${printable(questions[0]!.name)}=…`);
  if (questions.length > 1)
    lines.push(
      '  Write them into .env, each as NAME=value (NAME= leaves it empty), or give each with --env NAME=value.',
    );
  if (emptiable(questions).length > 1) lines.push('  --empty sets all missing values to empty.');
  const proposing = filesOf(questions);
  if (proposing.length > 0) {
    // A file that is named is read instead of .env; a later one wins.
    const named = [...proposing, ...sources.filter((source) => /(?:^|\/)\.env$/.test(source))];
    const words = named.map((file) => `--env-file ${quote(file)}`).join(' ');
    lines.push(
      printable(`  ${words} takes what ${proposing.join(' and ')} ${proposing.length === 1 ? 'has' : 'have'}.`),
    );
  }
  return lines;
}

export function printMissingFiles(files: readonly MissingFile[]): string[] {
  if (files.length === 0) return [];
  const lines = files.map(({ file, at, example }) => {
    const copy = example === undefined ? '' : `; ${example} is`;
    return printable(`${placed(at)}${file}, with variables, is not there${copy}.`);
  });
  const words = files.map(({ file }) => `--without ${quote(file)}`).join(' ');
  const those = files.length === 1 ? 'it' : 'them';
  return [...lines, printable(`  Write ${those}, with a NAME=value a line; ${words} goes on without.`)];
}

/** The files that the application does not need, according to the user. Undefined if the user stops answering. */
export async function askForFiles(
  files: readonly MissingFile[],
  { confirm }: Pick<Asker, 'confirm'>,
): Promise<string[] | undefined> {
  const without: string[] = [];
  for (const { file, at, example } of files) {
    const copy = example === undefined ? '' : ` (${example} is)`;
    const question = `${file}, with variables for ${at.file}:${at.line}, is not there${copy}. Go on without it?`;
    if (!(await confirm(printable(question), { isYes: false }))) return undefined;
    without.push(file);
  }
  return without;
}

/** Names of variables that may be empty: those that the document does not require. */
export function emptiable(questions: readonly MissingValue[]): string[] {
  return questions.filter(({ why }) => !why).map(({ name }) => name);
}

/** Undefined if the user stops answering. If there are many, they have no separate prompts. */
export async function askForValues(
  questions: readonly MissingValue[],
  { ask, confirm }: Asker,
): Promise<Record<string, string> | undefined> {
  const answers: Record<string, string> = {};
  const isOpen = ({ name }: MissingValue) => !Object.hasOwn(answers, name);
  const take = async (some: readonly MissingValue[], question: string, isYes: boolean) => {
    if (some.length <= fewValues) return true;
    const isTaken = await confirm(printable(question), { isYes });
    for (const { name, suggestion } of isTaken ? some : []) answers[name] = suggestion?.value ?? '';
    return isTaken !== undefined;
  };
  for (const file of filesOf(questions)) {
    const proposed = questions.filter((question) => isOpen(question) && question.suggestion?.file === file);
    const question = `${proposed.length} values are missing, and ${file} has them. Take them from there?`;
    if (!(await take(proposed, question, true))) return undefined;
  }
  // Values that the document requires must not be empty.
  const optional = questions.filter((question) => isOpen(question) && !question.suggestion && !question.why);
  const question = `${namesOf(optional)} have no value. Leave them empty, as Compose does?`;
  if (!(await take(optional, question, false))) return undefined;
  for (const { name, at, why, suggestion, isSecret } of questions.filter(isOpen)) {
    const reason = why ? ` (${why})` : '';
    const words = `${name}, for ${at.file}:${at.line}${reason}${suggestion ? ` [${suggestion.value}]` : ''}`;
    const answer = await ask(words, { isSecret });
    if (answer === undefined) return undefined;
    answers[name] = answer === '' ? (suggestion?.value ?? '') : answer;
  }
  return answers;
}

function filesOf(questions: readonly MissingValue[]): string[] {
  return [...new Set(questions.flatMap(({ suggestion }) => suggestion?.file ?? []))];
}

function namesOf(questions: readonly MissingValue[]): string {
  const names = questions.slice(0, shownValues).map(({ name }) => name);
  const more = questions.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}
