/** The location of snapshots, and the snapshot fields of plans. */
import { type BackupPlace, readBackupPlace } from '../backup/backup-place.ts';
import type { SnapshotTerms } from '../deployment/snapshot/snapshot.ts';
import { duration, integer, size, Unreadable } from './setting-values.ts';

/** Throws Unreadable. */
export function snapshotPlace(text: string): BackupPlace | 'none' {
  if (text === 'none') return text;
  try {
    return readBackupPlace(text);
  } catch (error) {
    throw new Unreadable((error as Error).message);
  }
}

export const snapshotFields: Record<
  string,
  { term: keyof SnapshotTerms; read: (text: string) => SnapshotTerms[keyof SnapshotTerms] }
> = {
  snapshots: { term: 'count', read: integer(0, 1_000) },
  'snapshot-data': { term: 'bytes', read: size },
  'snapshot-every': { term: 'everyMs', read: (text) => (text === 'never' ? null : duration(text)) },
};

/** Undefined if none of the fields is given. */
export function readSnapshotTerms(fields: ReadonlyMap<string, string>): Partial<SnapshotTerms> | undefined {
  const terms = Object.entries(snapshotFields).flatMap(([name, { term, read }]) => {
    const given = fields.get(name);
    return given === undefined ? [] : [[term, read(given)] as const];
  });
  return terms.length > 0 ? Object.fromEntries(terms) : undefined;
}
