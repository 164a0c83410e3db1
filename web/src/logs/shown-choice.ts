/** Selects the shown lines. The choice is in the address of the page, so that a link shows the same lines. Pure. */
import type { Filter } from './lines.ts';

export type Choice = Filter;

export function choiceIn(query: string): Choice {
  const given = new URLSearchParams(query);
  const revision = Number(given.get('revision'));
  const stream = given.get('stream');
  return {
    pod: given.get('pod') ?? '',
    revision: Number.isSafeInteger(revision) && revision > 0 ? revision : 0,
    stream: stream === 'stdout' || stream === 'stderr' ? stream : '',
    search: given.get('search') ?? '',
  };
}

/** Returns the query with its question mark. Empty for all lines. */
export function withChoice({ pod, revision, stream, search }: Choice): string {
  const given = new URLSearchParams();
  if (pod !== '') given.set('pod', pod);
  if (revision !== 0) given.set('revision', String(revision));
  if (stream !== '') given.set('stream', stream);
  if (search !== '') given.set('search', search);
  return given.size === 0 ? '' : `?${given}`;
}
