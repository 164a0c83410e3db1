/** PURE. Whether a release can use the schema of a database, by the names of their migrations. */

/** The difference between a database and a release. */
export type SchemaStep =
  | { kind: 'none' }
  /** The database is empty. */
  | { kind: 'make' }
  | { kind: 'add'; missing: string[] }
  /** `unknown`: the first migration that the release does not contain. */
  | { kind: 'newer'; unknown: string }
  /** A version before the first release created the schema. */
  | { kind: 'pre-release' };

/** `present`: the applied migrations of the database. `known`: those of the release. */
export function schemaStep(present: readonly string[], known: readonly string[]): SchemaStep {
  if (present.length === 0) return { kind: 'make' };
  if (!present.includes(known[0]!)) return { kind: 'pre-release' };
  const unknown = present.find((name) => !known.includes(name));
  if (unknown !== undefined) return { kind: 'newer', unknown };
  const missing = known.filter((name) => !present.includes(name));
  return missing.length === 0 ? { kind: 'none' } : { kind: 'add', missing };
}

/**
 * The changes that the program may make: everything for a service, `make` an empty database for a command that fills
 * one, or `nothing` for other commands, which may belong to another release than the running service.
 */
export type SchemaRight = 'all' | 'make' | 'nothing';

/** Returns why the step is not allowed, for the operator. Undefined if it is allowed. */
export function obstacleTo(step: SchemaStep, right: SchemaRight): string | undefined {
  switch (step.kind) {
    case 'none':
      return undefined;
    case 'make':
      return right === 'nothing' ? 'No service was ever started on this database.' : undefined;
    case 'add':
      if (right === 'all') return undefined;
      return 'The database has the schema of an earlier release, and only a service updates it. Start the service of this release first, or use the command of the earlier release.';
    case 'newer':
      return `A newer release of Berth wrote this database (${step.unknown}), and this release cannot use it. Use the newer release, or restore a backup from before the upgrade.`;
    case 'pre-release':
      return 'A pre-release of Berth made this database, and this release cannot use it. With the pre-release, export your applications and remove them with `npm run down`. Then start this release with an empty data directory (BERTH_DATA_DIR) or an empty database, and deploy them again.';
  }
}
