/**
 * PURE. Generations of the schema. Within one, migrations only add: releases follow one another in either direction. The
 * next one begins with a migration that the release before cannot live with, and its name says so: what a database has
 * been through tells an older release too whether it may use it.
 */

/** The migration of the first release with `berth admin backup`. */
const firstWithBackups = '0027-backups';

/** Of a schema that these migrations have made. */
export function generationOf(names: Iterable<string>): number {
  let generation = 1;
  for (const name of names) {
    const begun = Number(/^\d{4}-generation-(\d{1,4})-/.exec(name)?.[1] ?? 1);
    generation = Math.max(generation, begun);
  }
  return generation;
}

/** What is between a database and a release. */
export type SchemaStep =
  /** It can be used as it is; `additions`: what a newer release has added to it. */
  | { kind: 'none'; additions: string[] }
  /** There is nothing in it. */
  | { kind: 'make' }
  | { kind: 'add'; missing: string[] }
  /** `hasBackups`: the release that made the schema can make backups. */
  | { kind: 'begin-generation'; from: number; to: number; missing: string[]; hasBackups: boolean }
  /** `unknown`: the first migration of a newer release, or of another line of them. */
  | { kind: 'impossible'; unknown: string };

/** `present`: the migrations that the database has been through; `known`: those of the release. */
export function schemaStep(present: readonly string[], known: readonly string[]): SchemaStep {
  const missing = known.filter((name) => !present.includes(name));
  const unknown = present.filter((name) => !known.includes(name));
  const [from, to] = [generationOf(present), generationOf(known)];
  if (unknown[0] !== undefined && (missing.length > 0 || from > to)) return { kind: 'impossible', unknown: unknown[0] };
  if (missing.length === 0) return { kind: 'none', additions: unknown };
  if (present.length === 0) return { kind: 'make' };
  return from === to
    ? { kind: 'add', missing }
    : { kind: 'begin-generation', from, to, missing, hasBackups: present.includes(firstWithBackups) };
}
