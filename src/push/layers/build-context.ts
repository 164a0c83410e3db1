/** The context of a build: the files that its `.dockerignore` leaves, as the builder gets them. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import dockerignoreModule from '@balena/dockerignore';
import type { Build } from '../../folder/project.ts';
import { PushFault } from '../push-fault.ts';
import { bytesOf, type Entry, entryAt, type Ignored, listFolder, type Made } from './folder-listing.ts';

/** The package exports the function itself, and its types call it `default`. */
const dockerignore = dockerignoreModule as unknown as typeof dockerignoreModule.default;

export type BuildContext = {
  entries: Entry[];
  sizeBytes: number;
  /** Where the Dockerfile is in it. */
  dockerfile: string;
  /** The files for the builder. */
  sent: (Entry | Made)[];
};

/** Under which a Dockerfile is sent that is not in the context: no project has one of that name. */
const sentDockerfile = '.berth.Dockerfile';

export async function readBuildContext(build: Build): Promise<BuildContext> {
  const { context, inline } = build;
  const dockerfile = build.dockerfile ?? join(context, 'Dockerfile');
  const rules = await ignoreRulesOf(build);
  const entries = await listFolder(context, rules === undefined ? undefined : ignoredBy(rules));
  const listed = { entries, sizeBytes: bytesOf(entries) };
  const place = relative(context, dockerfile).split(sep).join('/');
  if (inline === undefined && entries.some(({ path }) => path === place))
    return { ...listed, dockerfile: place, sent: entries };
  // The Dockerfile is outside of the context or ignored. The builder needs it anyway, and hides it from COPY.
  const sent: Entry | Made | undefined =
    inline === undefined
      ? await entryAt(await realpath(dockerfile), sentDockerfile)
      : { kind: 'made', path: sentDockerfile, mode: 0o644, content: inline };
  if (!sent) throw new PushFault(`${dockerfile} is gone.`);
  const hiding: Made = {
    kind: 'made',
    path: '.dockerignore',
    mode: 0o644,
    content: `${rules ?? '.dockerignore'}\n${sentDockerfile}\n`,
  };
  const others = entries.filter(({ path }) => path !== hiding.path);
  return { ...listed, dockerfile: sentDockerfile, sent: [...others, hiding, sent] };
}

/**
 * The text of the `.dockerignore` that applies to a build: the one of its Dockerfile, or the one of its context. Undefined
 * without one.
 */
export async function ignoreRulesOf({ context, inline, dockerfile }: Build): Promise<string | undefined> {
  const file = dockerfile ?? join(context, 'Dockerfile');
  const own = inline === undefined ? await ruleText(`${file}.dockerignore`) : undefined;
  return own ?? (await ruleText(join(context, '.dockerignore')));
}

/** Ignores the entries that the rules of a `.dockerignore` name. */
export function ignoredBy(rules: string): Ignored {
  const patterns = rules.split(/\r?\n/);
  const read = dockerignore().add(patterns);
  const hasExceptions = patterns.some((pattern) => /^\s*!/.test(pattern));
  return { ignores: (path) => read.ignores(path), mayKeepBelow: () => hasExceptions };
}

/** Builders read no larger ones usefully. */
const maxRuleBytes = 1024 * 1024;

/**
 * Undefined if it does not exist. A link in a cloned project may lead to any file of this machine, whose content would
 * be sent.
 */
async function ruleText(file: string): Promise<string | undefined> {
  const real = await realpath(file).catch(() => undefined);
  if (real === undefined) return undefined;
  const place = await realpath(dirname(file));
  if (!real.startsWith(place === sep ? sep : `${place}${sep}`)) {
    throw new PushFault(`${file} is a link that leaves its folder, to ${real}.`, {
      hint: 'Replace the link with a copy of its target.',
    });
  }
  const { size } = await stat(real).then((found) => (found.isFile() ? found : { size: Number.POSITIVE_INFINITY }));
  if (size > maxRuleBytes) throw new PushFault(`${file} is not a file with rules, or is larger than 1 MiB.`);
  return await readFile(real, 'utf8');
}
