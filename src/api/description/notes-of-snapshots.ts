/** PURE. What the description says of snapshots. */
import type { OperationNote } from './operation-note.ts';
import { refusalsOfAdmission, refusalsOfApplications, refusalsOfDocuments } from './refusals.ts';

const all = [...refusalsOfApplications, 'snapshots_not_offered'] as const;

export const notesOfSnapshots: Record<string, OperationNote> = {
  createSnapshot: {
    tag: 'snapshots',
    access: 'caller in body',
    description:
      'Takes a snapshot of all volumes of a claimed deployment while it runs. All volumes are copied at the same instant, except on a cluster with VolumeSnapshots. With `dump`, PostgreSQL, MySQL and MariaDB pods with one replica are dumped with their own tools instead, each at its own instant. Redis, Valkey and KeyDB write their data to files before the copy. Dumps require a service that can run commands in pods. The response comes immediately. `GET /getSnapshots` reports when the snapshot is complete.',
    refusals: [
      ...([...all, 'snapshot_needs_claim', 'plan_limit_reached', 'volume_not_found', 'snapshot_under_way'] as const),
      'exec_not_allowed',
    ],
  },
  getSnapshots: {
    tag: 'snapshots',
    access: 'caller',
    description: 'Returns the kept snapshots, the restores from them, and the limits of the plan.',
    refusals: all,
  },
  restoreSnapshot: {
    tag: 'snapshots',
    access: 'caller in body',
    description:
      'Replaces the data of the deployment with that of a snapshot. The service fetches the data while the deployment runs, takes a snapshot, and restarts the pods that use these volumes. After an interruption, either all data is unchanged or all data is restored. Dumps are loaded with the same tools while the database runs: PostgreSQL switches at one instant, MySQL and MariaDB may show a part of the data during the load.\n\nWith `beside`, the service starts another deployment of the same account from the revision of the snapshot, with the same generated passwords and with its own address and `sessionToken`. It counts as a start, waits for the data, and fails with a message if the data cannot be restored. With `dryRun=true`, the response describes the effect.',
    refusals: [
      ...[...all, ...refusalsOfAdmission, ...refusalsOfDocuments],
      ...(['application_exists', 'application_suspended', 'revision_not_found'] as const),
      ...(['snapshot_not_found', 'volume_not_found', 'snapshot_under_way'] as const),
    ],
  },
  setSnapshotWishes: {
    tag: 'snapshots',
    access: 'caller in body',
    description:
      'Applies to updates and rollbacks by all users. With `beforeUpdates`, the service takes a snapshot before each update that changes a pod with volumes. The update fails if the snapshot fails. `snapshot=false` skips the snapshot for one update.',
    refusals: [...all, 'snapshot_needs_claim'],
  },
  deleteSnapshot: {
    tag: 'snapshots',
    access: 'caller in body',
    description: 'Deletes a snapshot. Data that no other snapshot uses is deleted from the storage within the hour.',
    refusals: [...refusalsOfApplications, 'application_suspended', 'snapshot_not_found', 'snapshot_under_way'],
  },
};
