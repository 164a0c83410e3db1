/** The bodies and the query parameters of requests for snapshots and restores. */
import { Type } from 'typebox';
import { ApplicationFields, ApplicationQuery } from '../requests/callers.ts';
import { PreferencesRecord } from './snapshot-records.ts';

const SnapshotId = Type.String({ minLength: 1, maxLength: 40, description: 'The `id` of a snapshot.' });
export const SnapshotFields = Type.Object({ ...ApplicationFields.properties, snapshot: SnapshotId });

export const SnapshotWanted = Type.Object({
  ...ApplicationFields.properties,
  dump: Type.Optional(
    Type.Boolean({
      description:
        'Whether to store dumps of PostgreSQL, MySQL and MariaDB instead of the files of their volumes. Redis saves its data before the copy.',
    }),
  ),
});

export const RestoreFields = Type.Object({
  ...SnapshotFields.properties,
  beside: Type.Optional(
    Type.Boolean({
      description:
        'Restore as a new deployment from the revision of the snapshot. The existing deployment does not change.',
    }),
  ),
  withoutSnapshot: Type.Optional(
    Type.Boolean({
      description: 'In place: skip the snapshot before the restore. The current data is then lost.',
    }),
  ),
  volumes: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      minItems: 1,
      maxItems: 200,
      description: 'The volumes to restore. Default: all volumes of the snapshot that the deployment has.',
    }),
  ),
});

export const PreferencesFields = Type.Object({
  ...ApplicationFields.properties,
  ...Type.Partial(PreferencesRecord).properties,
});

export const RestoreQuery = Type.Object({
  ...ApplicationQuery.properties,
  dryRun: Type.Optional(
    Type.Enum(['true', 'false'], { description: 'Only return what would happen. Changes nothing.' }),
  ),
});
