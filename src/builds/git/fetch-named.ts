/** Fetches the repositories that a source names for its builds. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryKey } from '../../config/values/build-source.ts';
import { readGitAddress } from '../../config/values/git-address.ts';
import type { Finding, WantedRepository } from '../../folder/project.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { refusedAt } from '../source-refusals.ts';
import { type FetchedCommit, maxFetchMs, type Repositories, type RepositoryLimits } from './fetch-repository.ts';

export type Naming = {
  wanted: readonly WantedRepository[];
  /** An existing folder, for the folders of the repositories. */
  place: string;
  client: string;
  /** The limits of all repositories together. */
  limits: RepositoryLimits;
  signal: AbortSignal;
};

/** `folders`: by `repositoryKey`. `contents`: a digest of the files of each. */
export type Named = { folders: Map<string, string>; contents: string[]; notes: Finding[] };

const maxRepositories = 10;

export async function fetchNamed(
  repositories: Repositories,
  { wanted, place, client, limits, signal }: Naming,
): Promise<Result<Named>> {
  const named: Named = { folders: new Map(), contents: [], notes: [] };
  const left = { ...limits };
  const ends = AbortSignal.any([signal, AbortSignal.timeout(maxFetchMs)]);
  for (const { source, at } of wanted) {
    const key = repositoryKey(source);
    const { size } = named.folders;
    if (named.folders.has(key)) continue;
    if (size === maxRepositories)
      return refuse('payload_too_large', `The source names more than ${maxRepositories} repositories.`);
    const address = readGitAddress(source);
    if (!address.ok) return refusedAt(at, address.problem);
    const folder = join(place, `git-${size}`);
    const pack = join(place, 'pack');
    await mkdir(folder, { mode: 0o700 });
    const requested = { address: address.value, token: source.token, pack, folder, client, signal: ends, limits: left };
    const commit = await repositories.fetch(requested);
    if (!commit.ok) return refusedAt(at, commit.problem);
    await rm(pack);
    const { content, bytes, entries, ...found } = commit.value;
    left.maxBytes -= bytes;
    left.maxEntries -= entries;
    named.folders.set(key, folder);
    named.contents.push(content);
    const { host, pathname } = address.value.url;
    named.notes.push(...notesOf(found, `The source ${host}${pathname}`));
  }
  return succeed(named);
}

/** PURE. The commit, and the submodules that are missing. */
export function notesOf(
  { commit, ref, submodules }: Pick<FetchedCommit, 'commit' | 'ref' | 'submodules'>,
  what = 'The source',
): Finding[] {
  const from = ref === commit ? '' : ` of ${ref}`;
  const notes: Finding[] = [{ code: 'commit', message: `${what} is commit ${commit.slice(0, 12)}${from}.` }];
  if (submodules.length === 0) return notes;
  const message = `Submodules are not fetched: ${submodules.slice(0, 10).join(', ')}.`;
  return [...notes, { code: 'submodule', message, hint: 'Send an archive that contains their files.' }];
}
