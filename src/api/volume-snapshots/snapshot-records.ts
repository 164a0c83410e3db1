/** PURE. Snapshots and restores as the API tells them. */
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
const VolumeName = Type.String({ description: 'As events and the plan of an update call it, such as `db-data`.' });

const DumpKind = Type.Enum([...dumpKinds], { description: '`mysql` is MariaDB too, `redis` is Valkey and KeyDB.' });

export const SnapshotRecord = Type.Object({
  id: Type.String(),
  state: Type.Enum(
    snapshotStates.filter((state) => state !== 'leaving' && state !== 'left'),
    { description: '`asked`: it is being taken, or waits for that.' },
  ),
  reason: Type.Enum([...snapshotReasons], { description: 'What it is taken for.' }),
  revision: Type.Integer({ minimum: 1, description: 'The revision that the deployment had then.' }),
  createdAt: Type.String({ format: 'date-time', description: 'When it was asked for.' }),
  takenAt: instant('The instant of which its data is.'),
  volumes: Type.Array(Type.Object({ name: VolumeName, sizeBytes: Type.Integer() }), {
    description: 'Those whose files are in it.',
  }),
  dumps: Type.Array(
    Type.Object({
      pod: Type.String(),
      kind: DumpKind,
      volumes: Type.Array(VolumeName, {
        description: 'Of the pod: of these there are no files. None of `redis`, whose files are there.',
      }),
    }),
    {
      description:
        'Databases that are in it as their own tools dump them; of `redis`, that it has written all to its files before.',
    },
  ),
  totalBytes: bytes('What is in it.'),
  addedBytes: bytes('What of that was not in an earlier one.'),
  pausedMs: bytes('For how many milliseconds writers have waited.'),
  problem: Type.Optional(Type.String({ description: 'Why the last try has failed.' })),
});

export const RestoreRecord = Type.Object({
  id: Type.String(),
  state: Type.Enum([...restoreStates], {
    description: '`asked`: the data is being fetched; `filled`: it is here, and is about to be put in place.',
  }),
  snapshot: Type.String({ description: 'What is restored.' }),
  isBeside: Type.Boolean({
    description: 'The deployment was started with these data, beside the one of the snapshot.',
  }),
  before: Type.Optional(Type.String({ description: 'The snapshot of what was there before.' })),
  progress: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 100, description: 'How much of the data has come, in percent.' }),
  ),
  volumes: Type.Array(VolumeName),
  createdAt: Type.String({ format: 'date-time' }),
  finishedAt: instant('When it was done, or given up.'),
  problem: Type.Optional(Type.String({ description: 'Why the last try has failed.' })),
});

export const WishesRecord = Type.Object(
  {
    beforeUpdates: Type.Boolean({
      description: 'Whether one is taken before each update that touches a pod with volumes.',
    }),
  },
  { description: 'What the owner wants from now on.' },
);

export const WishesAnswer = Type.Object({ message: Type.String(), wishes: WishesRecord, warnings: Warnings });

export const SnapshotsRecord = Type.Object({
  snapshots: Type.Array(SnapshotRecord, { description: 'The newest first.' }),
  restores: Type.Array(RestoreRecord, {
    description: 'What was restored into the deployment, or is on its way: the newest first.',
  }),
  kept: Type.Object(
    {
      count: Type.Integer({ description: 'Of those that were asked for, and as many of those of the schedule.' }),
      bytes: Type.Integer({ description: 'What those of an account may take in all.' }),
      everyHours: Type.Optional(Type.Number({ description: 'How often one is taken without being asked for.' })),
    },
    { description: 'What the plan says.' },
  ),
  wishes: WishesRecord,
  dumpable: Type.Array(Type.Object({ pod: Type.String(), kind: DumpKind }), {
    description: 'Databases that a snapshot can have by their own tools, with `dump`.',
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
          sessionToken: Type.String({ description: 'Of a session of its own. It is shown once.' }),
          applicationName: Type.String(),
          environment: Type.String(),
          claimed: Type.Boolean(),
        },
        { description: 'The new deployment, where it was restored beside.' },
      ),
    ),
    warnings: Warnings,
  }),
  Type.Object({
    dryRun: Type.Literal(true),
    message: Type.String(),
    snapshot: SnapshotRecord,
    volumes: Type.Array(VolumeName, { description: 'Those whose data would be restored.' }),
    left: Type.Array(VolumeName, { description: 'Volumes that would stay as they are, or, beside, be empty.' }),
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
