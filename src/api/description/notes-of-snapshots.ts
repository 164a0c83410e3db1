/** PURE. What the description says of snapshots. */
import type { OperationNote } from './operation-note.ts';
import { refusalsOfAdmission, refusalsOfApplications, refusalsOfDocuments } from './refusals.ts';

const all = [...refusalsOfApplications, 'snapshots_not_offered'] as const;

export const notesOfSnapshots: Record<string, OperationNote> = {
  createSnapshot: {
    tag: 'snapshots',
    access: 'caller in body',
    description:
      'Takes a snapshot of all volumes of a claimed deployment, as they are at one instant, while it runs; on a cluster that takes VolumeSnapshots each volume is of an instant of its own. With `dump` PostgreSQL, MySQL and MariaDB pods with one replica are dumped by their own tools in their containers instead, each by itself, and Redis, Valkey and KeyDB write all that they hold to their files before these are copied; that needs a service that runs commands in pods. The answer comes at once; `GET /getSnapshots` tells when it is taken.',
    refusals: [
      ...([...all, 'snapshot_needs_claim', 'plan_limit_reached', 'volume_not_found', 'snapshot_under_way'] as const),
      'exec_not_allowed',
    ],
  },
  getSnapshots: {
    tag: 'snapshots',
    access: 'caller',
    description: 'The snapshots that are kept, what was restored from them, and what the plan says of both.',
    refusals: all,
  },
  restoreSnapshot: {
    tag: 'snapshots',
    access: 'caller in body',
    description:
      'Puts the data of a snapshot in the place of that of the deployment: it is fetched while it runs, a snapshot is taken, and then the pods that use these volumes are stopped and started again. Interrupted at any instant, all data is that of before, or all is that of the snapshot. What was dumped is loaded by the same tools while the database runs: PostgreSQL changes to it at once, of MySQL and MariaDB a part may be seen meanwhile. With `beside` another deployment is started by the revision of the snapshot, of the same account, with the same generated passwords and an address and a `sessionToken` of its own; it counts as any start, waits until all data is there, and fails in words where it cannot be brought. With `dryRun=true` the answer says what would be done.',
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
      'From now on, whoever asks for an update or goes back to a revision: with `beforeUpdates` a snapshot is taken before, if a pod with volumes is touched, and the update fails where that fails; `snapshot=false` of an update does without once.',
    refusals: [...all, 'snapshot_needs_claim'],
  },
  deleteSnapshot: {
    tag: 'snapshots',
    access: 'caller in body',
    description: 'Deletes a snapshot; what only it needed leaves its place within the hour.',
    refusals: [...refusalsOfApplications, 'application_suspended', 'snapshot_not_found', 'snapshot_under_way'],
  },
};
