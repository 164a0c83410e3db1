/** `env_file` of a service as a part of its `environment`. */
import { dirname, join } from 'node:path';
import { childOf, entriesOf, type Field, itemsOf, type Tree, textOf } from '../../config/document/tree.ts';
import { readEnvFile, readRawEnvFile } from '../env-file.ts';
import type { Findings } from '../findings.ts';
import { type FolderFiles, shownPath } from '../folder-files.ts';
import { readEnvText, reportEnvFile, type Variables } from '../local-variables.ts';
import { markOf } from '../marks.ts';
import { reportMissingFile } from '../missing-files.ts';
import type { FolderOptions } from '../project.ts';
import { mapTree, scalar, withKeys } from '../trees.ts';

export type EnvironmentContext = {
  files: FolderFiles;
  findings: Findings;
  variables: Variables;
  sources: string[];
  options: Pick<FolderOptions, 'without'>;
  /** Variables of a missing file that has an example. The user is prompted for their values. */
  examples: Map<string, { value: string; file: string }>;
};

/** How people call the copy of a file with variables that they commit. */
const exampleNames = (name: string) => [
  ...['example', 'sample', 'template', 'dist', 'default', 'defaults'].flatMap((word) => {
    const bare = name.replace(/^\./, '');
    return [
      ...['.', '-', '_'].map((sign) => `${name}${sign}${word}`),
      `${bare}.${word}`,
      `${word}.${bare}`,
      ...(name.startsWith('.') ? [`.${word}.${bare}`] : []),
    ];
  }),
];

/** The service with only `environment`. Its values win over the files, and a later file over an earlier one. */
export function joinEnvironment(service: Field, context: EnvironmentContext): Tree {
  const { tree } = service;
  const own = childOf(service, 'environment');
  const files = itemsOf(childOf(service, 'env_file'));
  const { lookup } = context.variables;
  const given = own ? pairsOf(own) : [];
  const names = new Set(given.map(([name]) => name));
  const values = new Map<string, Tree>();
  for (const file of files) {
    for (const [name, value] of readOne(file, names, context)) values.set(name, value);
  }
  for (const [name, value] of given) {
    // A name without a value gets its value from the environment.
    const taken = value.kind === 'scalar' && value.value === null ? lookup(name) : undefined;
    values.set(name, taken === undefined ? value : scalar(taken, value.at));
  }
  const at = own?.tree.at ?? files[0]?.tree.at ?? tree.at;
  const environment = values.size > 0 ? mapTree([...values], at) : undefined;
  return withKeys(tree, { env_file: undefined, environment });
}

function pairsOf(field: Field): [string, Tree][] {
  if (field.tree.kind === 'map') return entriesOf(field).map(([name, { tree }]) => [name, tree]);
  return itemsOf(field).flatMap((item): [string, Tree][] => {
    if (item.tree.kind === 'map') return pairsOf(item);
    if (item.tree.kind !== 'scalar') return [];
    const { text, at, to } = item.tree;
    const equals = text.indexOf('=');
    if (equals === -1) return [[text.trim(), { kind: 'scalar', value: null, text: '', at, to }]];
    return [[text.slice(0, equals).trim(), scalar(text.slice(equals + 1), at)]];
  });
}

function readOne(file: Field, own: ReadonlySet<string>, context: EnvironmentContext): [string, Tree][] {
  const { files, findings, variables, sources } = context;
  const isLong = file.tree.kind === 'map';
  const path = textOf(isLong ? childOf(file, 'path') : file);
  const { at } = file.tree;
  if (path === undefined) return [];
  const isRequired = !isLong || textOf(childOf(file, 'required')) !== 'false';
  const isRaw = isLong && textOf(childOf(file, 'format')) === 'raw';
  const shown = shownPath(files, path);
  if (files.look(path).kind === 'missing') {
    if (!isRequired) return [];
    const example = exampleNames(path.slice(dirname(path).length + 1))
      .map((name) => join(dirname(path), name))
      .find((one) => files.look(one).kind === 'file');
    if (example !== undefined) return addQuestion(example, own, at, context);
    reportMissingFile({ file: shown, at }, context);
    return [];
  }
  const text = readEnvText(path, files, findings, isRequired, at);
  if (text === undefined) return [];
  if (!sources.includes(shown)) sources.push(shown);
  const from = findings.addText(shown, text);
  const read = isRaw ? readRawEnvFile(text) : readEnvFile(text, variables.lookup);
  reportEnvFile(read, from, findings);
  return read.values.flatMap(({ name, value = variables.lookup(name), at: place }): [string, Tree][] =>
    value === undefined ? [] : [[name, scalar(value, from + place)]],
  );
}

function addQuestion(
  example: string,
  own: ReadonlySet<string>,
  at: number,
  { files, findings, variables, examples }: EnvironmentContext,
): [string, Tree][] {
  const text = readEnvText(example, files, findings, false, at);
  if (text === undefined) return [];
  const file = shownPath(files, example);
  return readEnvFile(text, variables.lookup).values.map(({ name, value = '' }): [string, Tree] => {
    const given = variables.lookup(name);
    if (given === undefined && !own.has(name)) examples.set(name, { value, file });
    return [name, scalar(given ?? (own.has(name) ? value : markOf(name)), at)];
  });
}

/** Values that an example of the project's own `.env` proposes. */
export function readExamples(
  base: string,
  files: FolderFiles,
  findings: Findings,
): (name: string) => { value: string; file: string } | undefined {
  const found = new Map<string, { value: string; file: string }>();
  for (const name of exampleNames('.env')) {
    const path = join(base, name);
    if (files.look(path).kind !== 'file') continue;
    const text = readEnvText(path, files, findings, false) ?? '';
    const file = shownPath(files, path);
    for (const { name: variable, value } of readEnvFile(text, () => undefined).values) {
      if (value !== undefined && !found.has(variable)) found.set(variable, { value, file });
    }
  }
  return (name) => found.get(name);
}
