/** PURE. The paths of the distribution specification. Names have slashes, so they are read from their end. */
import { isRepository } from '../../images/pushed/repository-names.ts';

export type RegistryPath =
  | { kind: 'base' }
  | { kind: 'token' }
  | { kind: 'blob'; repository: string; digest: string }
  | { kind: 'uploads'; repository: string }
  | { kind: 'upload'; repository: string; id: string }
  | { kind: 'manifest'; repository: string; reference: string }
  | { kind: 'tags'; repository: string }
  /** A name that the registry refuses. */
  | { kind: 'bad-name'; name: string }
  | { kind: 'unknown' };

/** No repository is named so: names have a namespace. */
export const tokenPath = '/v2/token';

const forms: [kind: 'blob' | 'uploads' | 'upload' | 'manifest' | 'tags', form: RegExp][] = [
  ['uploads', /^(.+)\/blobs\/uploads\/?$/],
  ['upload', /^(.+)\/blobs\/uploads\/([^/]+)$/],
  ['blob', /^(.+)\/blobs\/([^/]+)$/],
  ['manifest', /^(.+)\/manifests\/([^/]+)$/],
  ['tags', /^(.+)\/tags\/list$/],
];

/** `path` without the query, as it was sent. */
export function readRegistryPath(path: string): RegistryPath {
  if (path === '/v2' || path === '/v2/') return { kind: 'base' };
  if (path === tokenPath) return { kind: 'token' };
  if (!path.startsWith('/v2/') || path.length > 1_000) return { kind: 'unknown' };
  for (const [kind, form] of forms) {
    const [, repository, last = ''] = form.exec(path.slice('/v2/'.length)) ?? [];
    if (repository === undefined) continue;
    if (!isRepository(repository)) return { kind: 'bad-name', name: repository };
    switch (kind) {
      case 'blob':
        return { kind, repository, digest: last };
      case 'upload':
        return { kind, repository, id: last };
      case 'manifest':
        return { kind, repository, reference: last };
      default:
        return { kind, repository };
    }
  }
  return { kind: 'unknown' };
}

/** Parses `bytes=0-99`, `bytes=100-` or `bytes=-100`. Undefined for a malformed range, or one beyond the end. */
export function readRange(
  header: string | undefined,
  sizeBytes: number,
): { first: number; last: number } | 'whole' | 'unsatisfiable' {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return 'whole';
  const first = from === '' ? Math.max(0, sizeBytes - Number(to)) : Number(from);
  const last = from === '' || to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  return first <= last ? { first, last } : 'unsatisfiable';
}

/** Parses the range of an upload's piece: `0-99`, with or without `bytes`. Undefined if the header is missing. */
export function readContentRange(header: string | undefined): { first: number; last: number } | 'bad' | undefined {
  if (header === undefined) return undefined;
  const [, first, last] = /^(?:bytes[ =])?(\d{1,15})-(\d{1,15})(?:\/(?:\d{1,15}|\*))?$/.exec(header) ?? [];
  if (first === undefined || Number(first) > Number(last)) return 'bad';
  return { first: Number(first), last: Number(last) };
}
