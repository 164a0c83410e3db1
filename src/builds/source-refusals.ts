/** PURE. Refusals of sources, in words. */
import type { Finding, Place } from '../folder/project.ts';
import { type Problem, type Result, refuse } from '../lib/problem.ts';
import type { SourceError } from './source-entry.ts';

export function refuseSource({ message, isTooLarge }: SourceError): Result<never> {
  const hint = isTooLarge
    ? 'Leave out files that the build does not need, such as node_modules and .git.'
    : 'Create the archive with: tar cz . | curl --data-binary @- -H "Content-Type: application/gzip" …';
  return refuse(isTooLarge ? 'payload_too_large' : 'invalid_request', message, hint);
}

/** Refuses with the place in the source that names the repository. */
export function refusedAt(at: Place, problem: Problem): Result<never> {
  return { ok: false, problem: { ...problem, error: `${placed(at)}${problem.error}` } };
}

function placed(at: Place | undefined): string {
  return at ? `${at.file}:${at.line}:${at.column}: ` : '';
}

/** Returns an error with the file, line and hint of each finding. */
export function refuseFindings(refusals: readonly Finding[]): Result<never> {
  const errors = refusals.map(({ message, hint, at }) => {
    return `${placed(at)}${message}${hint ? ` (${hint})` : ''}`;
  });
  const [first] = refusals;
  const problem: Problem = {
    code: 'invalid_configuration',
    error: errors[0]!,
    ...(first?.hint !== undefined && { hint: first.hint }),
    errors,
  };
  return { ok: false, problem };
}
