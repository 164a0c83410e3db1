/** PURE. API records of snapshots and restores. */
import { Type } from 'typebox';
import { dumpKinds } from '../../deployment/snapshot/dump.ts';
import {
  type Restore,
  restoreStates,
  type Snapshot,
  snapshotReasons,
  snapshotStates,
} from '../../deployment/snapshot/snapshot.ts';
import { Warnings } from '../deployments/deployment-schemas.ts';

const instant = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }));
const bytes = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));
const VolumeName = Type.String({ description: 'The name in events and plans, such as `db-data`.' });

const DumpKind = Type.Enum([...dumpKinds], {
  description: '`mysql` includes MariaDB. `redis` includes Valkey and KeyDB.',
});

export const SnapshotRecord = Type.Object({
  id: Type.String(),
  state: Type.Enum(
    snapshotStates.filter((state) => state !== 'leaving' && state !== 'left'),
    { description: '`asked`: the snapshot is waiting or in progress.' },
  ),
  reason: Type.Enum([...snapshotReasons], { description: 'The reason for the snapshot.' }),
  revision: Type.Integer({ minimum: 1, description: 'The revision of the deployment at that time.' }),
  createdAt: Type.String({ format: 'date-time', description: 'When the revision was requested.' }),
  takenAt: instant('When the data was copied.'),
  volumes: Type.Array(Type.Object({ name: VolumeName, sizeBytes: Type.Integer() }), {
    description: 'Volumes whose files the snapshot contains.',
  }),
  dumps: Type.Array(
    Type.Object({
      pod: Type.String(),
      kind: DumpKind,
      volumes: Type.Array(VolumeName, {
        description:
          'Volumes of the pod that the snapshot contains only as a dump. Empty for `redis`, whose files it contains.',
      }),
    }),
    {
      description: 'Databases that the snapshot contains as dumps. Redis saved its data to its files before the copy.',
    },
  ),
  totalBytes: bytes('The size of the snapshot.'),
  addedBytes: bytes('The size of the data that no earlier snapshot contains.'),
  pausedMs: bytes('How long writes were paused, in milliseconds.'),
  problem: Type.Optional(Type.String({ description: 'Why the last attempt failed.' })),
});

export const RestoreRecord = Type.Object({
  id: Type.String(),
  state: Type.Enum([...restoreStates], {
    description: '`asked`: the data is being fetched. `filled`: the data has arrived and is about to be put in place.',
  }),
  snapshot: Type.String({ description: 'The ID of the restored snapshot.' }),
  isBeside: Type.Boolean({
    description: 'The deployment was started with this data, as a new deployment.',
  }),
  before: Type.Optional(Type.String({ description: 'The snapshot of the data before the restore.' })),
  progress: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 100, description: 'The fetched part of the data, in percent.' }),
  ),
  volumes: Type.Array(VolumeName),
  createdAt: Type.String({ format: 'date-time' }),
  finishedAt: instant('When the restore was completed or abandoned.'),
  problem: Type.Optional(Type.String({ description: 'Why the last attempt failed.' })),
});

export const PreferencesRecord = Type.Object(
  {
    beforeUpdates: Type.Boolean({
      description: 'Whether to take a snapshot before updates of pods with volumes.',
    }),
  },
  { description: 'The settings of the owner.' },
);

export const PreferencesAnswer = Type.Object({ message: Type.String(), wishes: PreferencesRecord, warnings: Warnings });

export const SnapshotsRecord = Type.Object({
  snapshots: Type.Array(SnapshotRecord, { description: 'The newest first.' }),
  restores: Type.Array(RestoreRecord, {
    description: 'Completed and running restores into the deployment, the newest first.',
  }),
  kept: Type.Object(
    {
      count: Type.Integer({ description: 'The maximum of requested snapshots, and also of scheduled snapshots.' }),
      bytes: Type.Integer({ description: 'The total size of all snapshots of an account.' }),
      everyHours: Type.Optional(Type.Number({ description: 'The interval of scheduled snapshots.' })),
    },
    { description: 'The limits of the plan.' },
  ),
  wishes: PreferencesRecord,
  dumpable: Type.Array(Type.Object({ pod: Type.String(), kind: DumpKind }), {
    description: 'Databases that a snapshot with `dump` can dump.',
  }),
  warnings: Warnings,
});

export const SnapshotAnswer = Type.Object({ message: Type.String(), snapshot: SnapshotRecord, warnings: Warnings });

export const RestoreAnswer = Type.Union([
  Type.Object({
    message: Type.String(),
    restore: RestoreRecord,
    started: Type.Optional(
      Type.Object(
        {
          url: Type.String({ format: 'uri' }),
          sessionToken: Type.String({ description: 'The token of the new session. It is returned once.' }),
          applicationName: Type.String(),
          environment: Type.String(),
          claimed: Type.Boolean(),
        },
        { description: 'The new deployment, if the restore created one.' },
      ),
    ),
    warnings: Warnings,
  }),
  Type.Object({
    dryRun: Type.Literal(true),
    message: Type.String(),
    snapshot: SnapshotRecord,
    volumes: Type.Array(VolumeName, { description: 'Volumes whose data would be restored.' }),
    left: Type.Array(VolumeName, {
      description: 'Volumes that would keep their data or, in a new deployment, be empty.',
    }),
    stopped: Type.Array(Type.String(), { description: 'Pods that would be stopped and started again.' }),
    warnings: Warnings,
  }),
]);

export const DeletedRecord = Type.Object({ message: Type.String(), warnings: Warnings });

const at = (instant: number) => new Date(instant).toISOString();

export function snapshotRecord(snapshot: Snapshot) {
  const { id, state, reason, revision, createdAt, takenAt, totalBytes, addedBytes, pausedMs, problem } = snapshot;
  return {
    id,
    state: state as Exclude<typeof state, 'leaving' | 'left'>,
    reason,
    revision,
    createdAt: at(createdAt),
    ...(takenAt !== null && { takenAt: at(takenAt) }),
    volumes: snapshot.volumes.map(({ volume: name, sizeBytes }) => ({ name, sizeBytes })),
    dumps: snapshot.dumps,
    ...(totalBytes !== null && { totalBytes }),
    ...(addedBytes !== null && { addedBytes }),
    ...(pausedMs !== null && { pausedMs }),
    ...(problem !== null && { problem }),
  };
}

export function restoreRecord({ id, state, snapshotId, safetyId, dumps, ...told }: Restore) {
  const { fromDeploymentId, progress, createdAt, finishedAt, problem } = told;
  const isBeside = fromDeploymentId !== null;
  const volumes = [...told.volumes, ...dumps.flatMap((dump) => dump.volumes)];
  return {
    id,
    state,
    snapshot: snapshotId,
    isBeside,
    volumes,
    createdAt: at(createdAt),
    ...(progress !== null && { progress }),
    ...(safetyId !== null && { before: safetyId }),
    ...(finishedAt !== null && { finishedAt: at(finishedAt) }),
    ...(problem !== null && { problem }),
  };
}
