/**
 * Values of variables: first the user's answers, then the shell, then `.env`. A missing variable is marked in the
 * texts, so that the user can be prompted for it, or the service can generate it, once its purpose is known.
 */
import { resolve } from 'node:path';
import { type InterpolationProblem, interpolate, type Lookup } from '../config/compose/interpolate.ts';
import { isDollarSign, unsetMessage } from '../config/compose/unset-variables.ts';
import type { Tree } from '../config/document/tree.ts';
import { type EnvFile, readEnvFile } from './env-file.ts';
import type { Findings } from './findings.ts';
import { type FolderFiles, shownPath } from './folder-files.ts';
import { markOf } from './marks.ts';
import type { FolderOptions } from './project.ts';
import { readText } from './read-text.ts';
import { mapScalars } from './trees.ts';

export type Variables = {
  lookup: Lookup;
  /** The files that the values come from. */
  sources: string[];
  /** Reasons that `${NAME:?why}` gives, by the variable. */
  whys: Map<string, string>;
  /** The names that were taken from the shell. */
  fromShell: Set<string>;
  /** Values that were taken from the options and the shell. */
  given: Map<string, string>;
};

/** Largest file with variables, in bytes. */
const maxEnvBytes = 256 * 1024;

/** @param base Folder of the `.env` that is read when the options name no files. */
export function openVariables(
  base: string,
  { values = {}, environment = {}, envFiles }: Pick<FolderOptions, 'values' | 'environment' | 'envFiles'>,
  files: FolderFiles,
  findings: Findings,
): Variables {
  const fromShell = new Set<string>();
  const given = new Map<string, string>();
  const shell: Lookup = (name) => {
    const own = Object.hasOwn(values, name) ? values[name] : undefined;
    const value = own ?? (Object.hasOwn(environment, name) ? environment[name] : undefined);
    if (value === undefined) return undefined;
    if (own === undefined) fromShell.add(name);
    given.set(name, value);
    return value;
  };
  const known = new Map<string, string>();
  const sources: string[] = [];
  const named = envFiles?.map((file) => resolve(files.folder, file));
  for (const path of named ?? [resolve(base, '.env')]) {
    const text = readEnvText(path, files, findings, named !== undefined);
    if (text === undefined) continue;
    const shown = shownPath(files, path);
    sources.push(shown);
    const from = findings.addText(shown, text);
    const read = readEnvFile(text, (name) => shell(name) ?? known.get(name));
    reportEnvFile(read, from, findings);
    for (const { name, value } of read.values) if (value !== undefined) known.set(name, value);
  }
  return { lookup: (name) => shell(name) ?? known.get(name), sources, whys: new Map(), fromShell, given };
}

/** Adds values with the lowest precedence. */
export function withFallback(variables: Variables, fallback: Lookup): Variables {
  return { ...variables, lookup: (name) => variables.lookup(name) ?? fallback(name) };
}

/** Reports the problems of a file of variables whose text begins at `from`. */
export function reportEnvFile({ problems, unset }: EnvFile, from: number, findings: Findings): void {
  for (const { at, message } of problems) findings.refuse('env-file', message, from + at);
  for (const { at, name } of unset) {
    const hint = `write $$${name} for a dollar sign itself, or put the value in single quotes`;
    findings.note('unset-variable', `the variable ${name} has no value, and becomes empty here`, from + at, hint);
  }
}

/** Undefined when it is not there, or may not be read, which is refused. */
export function readEnvText(
  path: string,
  files: FolderFiles,
  findings: Findings,
  isRequired: boolean,
  at?: number,
): string | undefined {
  return readText(path, { files, findings, maxBytes: maxEnvBytes, at, isOptional: !isRequired });
}

/** Replaces the variables in all texts. Refuses invalid ones. */
export function interpolateTree(tree: Tree, { lookup, whys }: Variables, findings: Findings): Tree {
  return mapScalars(tree, (scalar) => {
    const { value, text, at } = scalar;
    if (typeof value !== 'string') return scalar;
    // Values cannot contain a NUL, which delimits the marks.
    const clean = text.replaceAll('\0', '');
    if (!clean.includes('$')) return clean === text ? scalar : { ...scalar, value: clean, text: clean };
    const stand = (name: string, isBare: boolean) =>
      lookup(name) ?? (isDollarSign(name, isBare) ? undefined : markOf(name));
    const result = interpolate(clean, { find: lookup, stand, missing: markOf });
    for (const problem of result.problems) report(problem, at);
    return { ...scalar, value: result.text, text: result.text };
  });

  function report(problem: InterpolationProblem, at: number) {
    if (problem.kind === 'required' && !whys.has(problem.name)) whys.set(problem.name, problem.why);
    if (problem.kind === 'unset') {
      const { message, hint } = unsetMessage([problem.name], ['bare']);
      findings.note('unset-variable', message, at, hint);
    }
    if (problem.kind !== 'malformed') return;
    const hint = `write \${NAME} or \${NAME:-default}, and $$ for a dollar sign itself`;
    findings.refuse('bad-interpolation', `"${problem.text}" cannot be read as a variable`, at, hint);
  }
}
