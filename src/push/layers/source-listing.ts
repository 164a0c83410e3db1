/**
 * The files of a project that the service needs to build it. The `.dockerignore` of a build context decides about the files
 * in the context; without one, `.gitignore` decides. Files that the documents name are never left out, and the history of
 * Git always is.
 */
import { join, posix, relative, sep } from 'node:path';
import type { Ignore } from 'ignore';
import ignore from 'ignore';
import { type FolderFiles, openFiles } from '../../folder/folder-files.ts';
import type { Project } from '../../folder/project.ts';
import { ignoredBy, ignoreRulesOf } from './build-context.ts';
import { type Entry, type Ignored, listFolder } from './folder-listing.ts';

/** `rules`: a `.dockerignore` that applies together with `.gitignore`. */
export async function listSource(
  { folder, sources, images }: Pick<Project, 'folder' | 'sources' | 'images'>,
  rules?: string,
): Promise<Entry[]> {
  const within = (path: string) => relative(folder, path).split(sep).join('/');
  const own = gitIgnored(openFiles(folder));
  const git = rules === undefined ? own : either(own, ignoredBy(rules));
  const named = [...sources, ...images.flatMap(({ layers }) => layers.map(({ from }) => within(from)))];
  const contexts = new Map<string, Ignored | undefined>();
  for (const { base } of images) {
    if (base.kind !== 'build' || base.build.isRemote) continue;
    const { context, inline, dockerfile = join(context, 'Dockerfile') } = base.build;
    if (inline === undefined) named.push(within(dockerfile), within(`${dockerfile}.dockerignore`));
    named.push(within(join(context, '.dockerignore')));
    const text = await ignoreRulesOf(base.build);
    contexts.set(within(context), text === undefined ? undefined : ignoredBy(text));
  }
  return await listFolder(folder, ignoredOf({ named, contexts, git }));
}

type Rules = { named: readonly string[]; contexts: ReadonlyMap<string, Ignored | undefined>; git: Ignored };

/** PURE, except that the rules of Git are read when they are needed. */
function ignoredOf({ named, contexts, git }: Rules): Ignored {
  const nearest = [...contexts].toSorted(([a], [b]) => b.length - a.length);
  const contextOf = (path: string) => nearest.find(([context]) => isAtOrBelow(path, context));

  return {
    ignores(path, isFolder) {
      if (path.split('/').includes('.git')) return true;
      // These rules come first, because they store which folders are ignored.
      const isGitIgnored = git.ignores(path, isFolder);
      if (named.some((one) => isAtOrBelow(path, one))) return false;
      const [context, rules] = contextOf(path) ?? [];
      if (!rules || context === undefined) return isGitIgnored;
      const place = context === '' ? path : path.slice(context.length + 1);
      return place !== '' && rules.ignores(place, isFolder);
    },
    mayKeepBelow(path) {
      if ([...named, ...contexts.keys()].some((one) => one.startsWith(`${path}/`))) return true;
      return contextOf(path)?.[1]?.mayKeepBelow(path) ?? false;
    },
  };
}

function either(one: Ignored, other: Ignored): Ignored {
  return {
    ignores: (path, isFolder) => one.ignores(path, isFolder) || other.ignores(path, isFolder),
    mayKeepBelow: (path) => one.mayKeepBelow(path) && other.mayKeepBelow(path),
  };
}

function isAtOrBelow(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** Applies the `.gitignore` files of a folder. Rules of a folder apply below it, and deeper ones take precedence. */

const maxRuleBytes = 1024 * 1024;

export function gitIgnored(files: FolderFiles): Ignored {
  const read = new Map<string, Ignore | undefined>();
  const left = new Set<string>();

  function rulesOf(folder: string): Ignore | undefined {
    if (!read.has(folder)) {
      const path = join(files.folder, folder, '.gitignore');
      const text = files.look(path).kind === 'file' ? files.read(path, maxRuleBytes)?.toString('utf8') : undefined;
      read.set(folder, text === undefined ? undefined : ignore().add(text));
    }
    return read.get(folder);
  }

  function isIgnored(path: string, isFolder: boolean): boolean {
    if (posix.basename(path) === '.git') return true;
    let folder = posix.dirname(path);
    // Git does not read ignored folders, so no deeper rule can include a file again.
    if (left.has(folder)) return true;
    for (;;) {
      const within = posix.relative(folder, path);
      const { ignored, unignored } = rulesOf(folder)?.test(isFolder ? `${within}/` : within) ?? {};
      if (ignored || unignored) return ignored === true;
      if (folder === '.') return false;
      folder = posix.dirname(folder);
    }
  }

  return {
    ignores(path, isFolder) {
      const isLeft = isIgnored(path, isFolder);
      if (isLeft && isFolder) left.add(path);
      return isLeft;
    },
    mayKeepBelow: () => false,
  };
}
