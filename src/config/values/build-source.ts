/** PURE. `build` of a pod or a service whose source is a Git repository. */
import { nearestName } from '../diagnostics/suggest.ts';
import { childOf, entriesOf, type Field, textOf } from '../document/tree.ts';
import { readGitAddress, type WrittenAddress } from './git-address.ts';

/** `token`: an access token for a private repository, or `user:token`. */
export type BuildSource = WrittenAddress & { token?: string };

/** `at`: the wrong value. No message repeats it: it may be a token. */
export type SourceProblem = { at: Field; message: string; hint: string };

export type ReadBuildSource =
  | { kind: 'source'; source: BuildSource; at: Field }
  | { kind: 'bad'; problem: SourceProblem };

const fields = ['git', 'ref', 'path', 'token'] as const;

/**
 * The source in `build.source`, or in a build context that is the address of a repository, as Compose writes it:
 * `https://github.com/acme/shop.git#main:web`. Undefined for a build without either.
 */
export function readBuildSource(build: Field | undefined): ReadBuildSource | undefined {
  if (!build) return undefined;
  const source = childOf(build, 'source');
  if (source) return readSource(source);
  const context = build.tree.kind === 'scalar' ? build : childOf(build, 'context');
  const [, git, ref, path] = remoteContext.exec(textOf(context) ?? '') ?? [];
  if (!context || git === undefined) return undefined;
  return checked({ git, ...(ref && { ref }), ...(path && { path }) }, context, () => context);
}

/** https://docs.docker.com/build/concepts/context/#git-repositories */
const remoteContext = /^(https?:\/\/[^#\s]+\.git)(?:#([^:\s]*)(?::(\S*))?)?$/;

/** Returns the same key for sources with the same files. */
export function repositoryKey({ git, ref = '', path = '' }: WrittenAddress): string {
  return JSON.stringify([git, ref, path]);
}

/** A value of a source may be a variable, which is replaced later. */
export function hasVariable({ git, ref = '', path = '', token = '' }: BuildSource): boolean {
  return [git, ref, path, token].some((text) => text.includes('${'));
}

function readSource(source: Field): ReadBuildSource {
  if (source.tree.kind !== 'map') return bad(source, '`source` is not a map', example);
  for (const [name, field] of entriesOf(source)) {
    const known = fields.find((each) => each === name);
    if (name.startsWith('x-')) continue;
    if (!known) {
      const meant = nearestName(name, fields);
      const hint = meant ? `did you mean "${meant}"?` : '`source` has the fields git, ref, path and token';
      return bad(field, '`source` has an unknown field', hint);
    }
    if (field.tree.kind !== 'scalar') return bad(field, `\`${name}\` is not a text`, example);
  }
  const text = (name: (typeof fields)[number]) => textOf(childOf(source, name));
  const [git, ref, path, token] = fields.map(text);
  if (git === undefined) return bad(source, '`source` has no `git`', example);
  if (token !== undefined && !tokenGrammar.test(token))
    return bad(childOf(source, 'token')!, '`token` is not an access token', 'use 1 to 4096 characters without spaces');
  const written = { git, ...(ref !== undefined && { ref }), ...(path !== undefined && { path }) };
  return checked({ ...written, ...(token !== undefined && { token }) }, source, (name) => childOf(source, name)!);
}

const example = 'write source: { git: https://github.com/owner/repository, ref: main, path: apps/web }';
const tokenGrammar = /^[\x21-\x7e]{1,4096}$/;

/** Checks the parts in turn, so that each problem is reported at its own place. */
function checked(source: BuildSource, at: Field, placeOf: (name: 'git' | 'ref' | 'path') => Field): ReadBuildSource {
  const { git, ref, path } = source;
  if (hasVariable(source)) return { kind: 'source', source, at };
  for (const [name, written] of [
    ['git', { git }],
    ['ref', { git, ref }],
    ['path', { git, ref, path }],
  ] as const) {
    const read = readGitAddress(written);
    if (read.ok) continue;
    const { error, hint = '' } = read.problem;
    return bad(placeOf(name), withoutStop(error), lowerFirst(withoutStop(hint)));
  }
  return { kind: 'source', source, at };
}

function bad(at: Field, message: string, hint: string): ReadBuildSource {
  return { kind: 'bad', problem: { at, message, hint } };
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, '');
}

function lowerFirst(text: string): string {
  return text.replace(/^[A-Z]/, (letter) => letter.toLowerCase());
}
