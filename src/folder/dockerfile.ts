/** Facts that a Dockerfile states about its image: its ports, its health check, its copies. Pure. */
import { posix } from 'node:path';
import { interpolate } from '../config/compose/interpolate.ts';

export type DockerImage = {
  /** The image that the stage is built on in the end; undefined for `scratch` or one that is computed. */
  base?: string;
  /** TCP ports as written. Variables are replaced if their values are known. */
  ports: number[];
  /** In the notation of Compose's `healthcheck.test`. `['NONE']` disables the health check of the base. */
  healthCheck?: { test: string[]; interval?: string; timeout?: string; retries?: string; start_period?: string };
  env: Record<string, string>;
  /** ENTRYPOINT and CMD, as words of a shell. */
  entrypoint?: string;
  command?: string;
  /** The base of relative destinations. */
  directory: string;
  /** Copies from the context: sources as written, and the absolute destination, with a slash after a folder. */
  copies: { sources: string[]; to: string }[];
};

/** `written`: as it is in the Dockerfile, with variables. */
export type BaseName = { written: string; image: string };

type Stage = { name?: string; written: string; from: string; instructions: Instruction[] };
type Instruction = { keyword: string; rest: string };

/** Largest one that is read. */
export const maxDockerfileBytes = 1024 * 1024;

/** Most lines that are read. */
const maxLines = 20_000;

/** Reads the stage `target`, by name or number, or the last one. Undefined if it does not exist. */
export function readDockerfile(
  text: string,
  { target, args = {} }: { target?: string; args?: Record<string, string> } = {},
): DockerImage | undefined {
  const { stages, globals } = stagesOf(text, args);
  const wanted = target?.toLowerCase();
  const index =
    wanted === undefined
      ? stages.length - 1
      : stages.findIndex(({ name }, at) => name === wanted || String(at) === wanted);
  return index < 0 ? undefined : describe(index, stages, globals, args);
}

/**
 * Returns the images in FROM and COPY instructions without duplicates. An image whose name contains an unknown variable
 * is left out.
 */
export function baseImagesOf(text: string, args: Record<string, string> = {}): BaseName[] {
  const { stages } = stagesOf(text, args);
  const names = stages.flatMap(({ name }) => name ?? []);
  const copied = stages.flatMap(({ instructions }) => instructions.flatMap(({ rest }) => fromOption(rest)));
  const isImage = (source: string, before: number) =>
    source !== '' && source !== 'scratch' && !source.includes('$') && !isStage(source, names, before);
  const found = [
    ...stages.flatMap(({ written, from }, at) => (isImage(from, at) ? [[written, from] as const] : [])),
    ...copied.flatMap((source) => (isImage(source, stages.length) ? [[source, source] as const] : [])),
  ];
  return Array.from(new Map(found), ([written, image]) => ({ written, image }));
}

/** `COPY --from=…` and `RUN --mount=type=bind,from=…`. */
function fromOption(rest: string): string[] {
  return Array.from(rest.matchAll(/--(?:from=|mount=(?:\S*,)?from=)([^\s,]+)/g), ([, source]) => source!);
}

function isStage(source: string, names: readonly string[], stages: number): boolean {
  return names.includes(source.toLowerCase()) || (/^\d+$/.test(source) && Number(source) < stages);
}

function stagesOf(text: string, args: Record<string, string>): { stages: Stage[]; globals: Map<string, string> } {
  const globals = new Map<string, string>();
  const stages: Stage[] = [];
  for (const instruction of instructionsOf(text)) {
    const current = stages.at(-1);
    if (instruction.keyword === 'FROM') {
      const [from = '', as, name] = instruction.rest.replace(/^(?:--\S+\s+)+/, '').split(/\s+/);
      const isNamed = as?.toLowerCase() === 'as' && name !== undefined;
      stages.push({
        written: from,
        from: replace(from, globals),
        ...(isNamed && { name: name.toLowerCase() }),
        instructions: [],
      });
    } else if (current) current.instructions.push(instruction);
    else if (instruction.keyword === 'ARG') setArg(instruction.rest, globals, args);
  }
  return { stages, globals };
}

function describe(
  index: number,
  stages: Stage[],
  globals: Map<string, string>,
  args: Record<string, string>,
): DockerImage {
  const { from, instructions } = stages[index]!;
  const below = stages.findIndex(({ name }, at) => at < index && name === from.toLowerCase());
  const inherited = below === -1 ? undefined : describe(below, stages, globals, args);
  const isImage = below === -1 && from !== 'scratch' && from !== '' && !from.includes('$');
  const base = inherited ? inherited.base : isImage ? from : undefined;
  const image: DockerImage = inherited
    ? { ...inherited, ports: [...inherited.ports], env: { ...inherited.env }, copies: [...inherited.copies] }
    : { ...(base !== undefined && { base }), ports: [], env: {}, directory: '/', copies: [] };
  const known = new Map(Object.entries(image.env));
  for (const { keyword, rest } of instructions) {
    if (keyword === 'ARG') setArg(rest, known, args, globals);
    else if (keyword === 'ENV') {
      for (const [name, value] of pairsOf(rest)) {
        image.env[name] = replace(value, known);
        known.set(name, image.env[name]!);
      }
    } else if (keyword === 'WORKDIR') image.directory = posix.resolve(image.directory, replace(unquoted(rest), known));
    else if (keyword === 'EXPOSE') {
      for (const port of replace(rest, known).split(/\s+/)) {
        const number = /^(\d{1,5})(?:-\d+)?(?:\/tcp)?$/i.exec(port)?.[1];
        if (number && Number(number) > 0 && !image.ports.includes(Number(number))) image.ports.push(Number(number));
      }
    } else if (keyword === 'CMD') image.command = shellWords(rest);
    else if (keyword === 'ENTRYPOINT') {
      image.entrypoint = shellWords(rest);
      // The command of an earlier stage was for another program.
      delete image.command;
    } else if (keyword === 'HEALTHCHECK') image.healthCheck = readHealthCheck(rest);
    else if (keyword === 'COPY' || keyword === 'ADD') {
      const copy = readCopy(rest, image.directory, known);
      if (copy) image.copies.push(copy);
    }
  }
  return image;
}

/** The command of an earlier stage was for another program. */
function instructionsOf(text: string): Instruction[] {
  const lines = text.split(/\r?\n/).slice(0, maxLines);
  const joint = /^#\s*escape\s*=\s*`/im.test(lines.slice(0, 5).join('\n')) ? '`' : '\\';
  const instructions: Instruction[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (/^\s*(?:#|$)/.test(lines[at]!)) continue;
    let whole = lines[at]!.trim();
    while (whole.endsWith(joint) && at + 1 < lines.length) {
      at += 1;
      const next = lines[at]!.trim();
      if (!next.startsWith('#')) whole = `${whole.slice(0, -1).trimEnd()} ${next}`;
    }
    const [, keyword = '', rest = ''] = /^([A-Za-z]+)\s+([\s\S]*)$/.exec(whole) ?? [];
    instructions.push({ keyword: keyword.toUpperCase(), rest: rest.trim() });
    if (!/^(?:RUN|COPY|ADD)$/i.test(keyword)) continue;
    for (const [, ends] of rest.matchAll(/<<-?["']?([A-Za-z_]\w*)["']?/g)) {
      while (at + 1 < lines.length && lines[at + 1]!.trim() !== ends) at += 1;
      at += 1;
    }
  }
  return instructions;
}

function setArg(
  rest: string,
  known: Map<string, string>,
  args: Record<string, string>,
  globals?: Map<string, string>,
): void {
  for (const word of rest.split(/\s+/)) {
    const [, name, value] = /^(\w+)(?:=(.*))?$/.exec(word) ?? [];
    if (name === undefined) continue;
    const given = Object.hasOwn(args, name) ? args[name] : undefined;
    const set = given ?? (value === undefined ? globals?.get(name) : replace(unquoted(value), known));
    if (set !== undefined) known.set(name, set);
  }
}

/** `A=1 B="2 3"`, or the older `A value`. */
function pairsOf(rest: string): [string, string][] {
  if (!/^[\w.-]+=/.test(rest)) {
    const [, name, value] = /^([\w.-]+)\s+(.*)$/.exec(rest) ?? [];
    return name === undefined ? [] : [[name, unquoted(value!)]];
  }
  return Array.from(rest.matchAll(/([\w.-]+)=("(?:[^"\\]|\\.)*"|'[^']*'|\S*)/g), ([, name, value]) => [
    name!,
    unquoted(value!),
  ]);
}

function readHealthCheck(rest: string): NonNullable<DockerImage['healthCheck']> {
  const [, options = '', command = ''] = /^((?:--\S+\s+)*)([\s\S]*)$/.exec(rest) ?? [];
  const option = (name: string) => new RegExp(`--${name}=(\\S+)`).exec(options)?.[1];
  const words = command.replace(/^CMD\s+/i, '');
  const test = /^NONE$/i.test(command.trim())
    ? ['NONE']
    : (listOf(words)?.toSpliced(0, 0, 'CMD') ?? ['CMD-SHELL', words]);
  const times = {
    interval: option('interval'),
    timeout: option('timeout'),
    retries: option('retries'),
    start_period: option('start-period'),
  };
  return { test, ...(Object.fromEntries(Object.entries(times).filter(([, value]) => value)) as object) };
}

function readCopy(
  rest: string,
  directory: string,
  known: Map<string, string>,
): DockerImage['copies'][number] | undefined {
  const [, options = '', paths = ''] = /^((?:--\S+\s+)*)([\s\S]*)$/.exec(rest) ?? [];
  if (/--from=/.test(options) || paths.startsWith('<<')) return undefined;
  const words = listOf(paths) ?? paths.split(/\s+/).map(unquoted);
  const last = words.at(-1);
  if (words.length < 2 || last === undefined) return undefined;
  const to = replace(last, known);
  if (to.includes('$')) return undefined;
  const sources = words.slice(0, -1).map((word) => replace(word, known));
  return {
    sources,
    to: /(?:^|\/)\.{0,2}$/.test(to) ? `${posix.resolve(directory, to)}/` : posix.resolve(directory, to),
  };
}

function shellWords(text: string): string {
  return listOf(text)?.join(' ') ?? text;
}

/** Returns the words of the JSON form. Undefined for other forms. */
function listOf(text: string): string[] | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    const words: unknown = JSON.parse(text);
    return Array.isArray(words) && words.every((word) => typeof word === 'string') ? words : undefined;
  } catch {
    // It is not a JSON list, so a shell reads it.
    return undefined;
  }
}

function replace(text: string, known: Map<string, string>): string {
  if (!text.includes('$')) return text;
  return interpolate(text, { find: (name) => known.get(name), stand: (name) => known.get(name) ?? `$${name}` }).text;
}

function unquoted(text: string): string {
  return text.replace(/^(["'])([\s\S]*)\1$/, '$2');
}
