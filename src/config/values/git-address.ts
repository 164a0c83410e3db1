/** PURE. Reads the address of a Git repository, which may be hostile. */

import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { toSlug } from '../diagnostics/suggest.ts';
import { parseUrl } from './patterns.ts';

export type GitAddress = {
  /** The URL of the repository, without a slash at the end. */
  url: URL;
  /** A branch, a tag, or the complete hash of a commit. Undefined: the default branch. */
  ref: string | undefined;
  /** The names of the folders that lead to the source. */
  path: string[];
};

export type WrittenAddress = { git: string; ref?: string | undefined; path?: string | undefined };

const most = { url: 2_048, ref: 255, path: 1_024 };

/** No refusal repeats the address: it may contain a password. */
export function readGitAddress({ git, ref, path }: WrittenAddress): Result<GitAddress> {
  const url = git.length <= most.url && /^https?:\/\/[\x21-\x7e]+$/.test(git) ? parseUrl(git) : undefined;
  if (url?.search !== '' || url.hash !== '') return notHttps;
  if (url.username !== '' || url.password !== '') return withLogin;
  url.pathname = url.pathname.replace(/\/+$/, '');
  if (url.pathname === '/') return notHttps;
  // Removes a `?` or `#` with nothing after it, which `search` and `hash` do not show.
  url.search = '';
  url.hash = '';
  if (ref !== undefined && !isRef(ref)) return notRef;
  const folder = path === undefined ? succeed([]) : readFolder(path);
  return folder.ok ? succeed({ url, ref, path: folder.value }) : folder;
}

/** The names of the folders that lead to the source. */
export function readFolder(path: string): Result<string[]> {
  const names = folderNames(path);
  return names ? succeed(names) : notPath;
}

/** Returns the name for an application whose source has none. Undefined if the address has no usable name. */
export function nameOfAddress({ url, path }: GitAddress): string | undefined {
  const name =
    path.at(-1) ??
    url.pathname
      .split('/')
      .at(-1)!
      .replace(/\.git$/, '');
  const slug = toSlug(name);
  return slug !== undefined && slug.length >= 3 ? slug : undefined;
}

/** Commands of Git read a name that begins with a hyphen as an option. */
function isRef(ref: string): boolean {
  return ref.length <= most.ref && /^\w[\w.@+/-]*$/.test(ref) && !ref.includes('..') && !ref.endsWith('/');
}

function folderNames(path: string): string[] | undefined {
  const names = path.replace(/\/$/, '').split('/');
  const isUsable = names.every(
    (name) => name !== '' && name !== '..' && !name.startsWith('-') && !/\p{Cc}/u.test(name),
  );
  return path.length <= most.path && isUsable ? names.filter((name) => name !== '.') : undefined;
}

const notHttps = refuse(
  'invalid_request',
  '`git` is not the https address of a Git repository.',
  'Use an address such as https://github.com/owner/repository, and `ref` and `path` for a branch and a folder.',
);

const withLogin = refuse(
  'invalid_request',
  '`git` contains a user name or a password.',
  'Send an access token in the header Git-Token, or in `token` of a source. No log contains it.',
);

const notRef = refuse(
  'invalid_request',
  '`ref` is not the name of a branch or a tag, or the hash of a commit.',
  'Use a name such as main or v1.2, without `ref` for the default branch.',
);

const notPath = refuse(
  'invalid_request',
  '`path` is not a folder in the repository.',
  'Use a relative path such as apps/web.',
);
