/** Snapshots of a deployment: taking one, listing, restoring and deleting them. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { wantedRevision } from '../../deployment/desired.ts';
import { podsOfVolumes } from '../../deployment/desired-volumes.ts';
import { refuseSuspended } from '../../deployment/suspension.ts';
import { restoresOf } from '../../store/restores.ts';
import { revisionOf } from '../../store/revisions.ts';
import { snapshotPreferencesOf } from '../../store/snapshot-preferences.ts';
import { snapshotsOf } from '../../store/snapshots.ts';
import { originOf } from '../admission/caller-admission.ts';
import type { Service } from '../api-service.ts';
import { type Documents, refuseBeyond } from '../configuration/documents.ts';
import { ErrorRecord } from '../deployments/deployment-schemas.ts';
import {
  refusalsOfAdmission,
  refusalsOfApplications,
  refusalsOfDocuments,
  refusalsOfSnapshots,
} from '../description/refusals.ts';
import {
  ApplicationFields,
  ApplicationQuery,
  applicationOf,
  findApplication,
  requireCaller,
} from '../requests/callers.ts';
import { orRefuse } from '../requests/errors.ts';
import { type RestoredIntoNew, restoreIntoNew } from './restore-into-new.ts';
import { PreferencesFields, RestoreFields, RestoreQuery, SnapshotFields, SnapshotWanted } from './snapshot-bodies.ts';
import {
  DeletedRecord,
  PreferencesAnswer,
  RestoreAnswer,
  restoreRecord,
  SnapshotAnswer,
  SnapshotsRecord,
  snapshotRecord,
} from './snapshot-records.ts';
import {
  changePreferences,
  createSnapshot,
  deleteSnapshot,
  dumpable,
  findRestoring,
  refuseUnoffered,
  restoreSnapshot,
  termsOf,
} from './snapshot-requests.ts';

const hour = 60 * 60_000;

export function snapshotEndpoints(service: Service, documents: Documents): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/createSnapshot',
      {
        // Costs as much as a start.
        config: { limit: 'start' },
        schema: {
          operationId: 'createSnapshot',
          summary: 'Take a snapshot of the volumes of a deployment',
          tags: ['snapshots'],
          description:
            'Takes a snapshot of all volumes of a claimed deployment while it runs. With `dump`, databases are dumped with their own tools. `GET /getSnapshots` reports when the snapshot is complete.',
          access: 'caller in body',
          refusals: [
            ...refusalsOfSnapshots,
            'snapshot_needs_claim',
            'plan_limit_reached',
            'volume_not_found',
            'snapshot_under_way',
            'exec_not_allowed',
          ],
          querystring: ApplicationQuery,
          body: SnapshotWanted,
          response: { 200: SnapshotAnswer, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const found = orRefuse(await findApplication(service, request, request.body));
        const requested = orRefuse(await createSnapshot(service, found, request.body));
        const message = `A snapshot of ${found.applicationName} is being taken.`;
        return { message, snapshot: snapshotRecord(requested) };
      },
    );

    app.get(
      '/getSnapshots',
      {
        schema: {
          operationId: 'getSnapshots',
          summary: 'Get the snapshots and restores of a deployment',
          tags: ['snapshots'],
          description: 'Returns the kept snapshots, the restores from them, and the limits of the plan.',
          access: 'caller',
          refusals: refusalsOfSnapshots,
          querystring: ApplicationFields,
          response: { 200: SnapshotsRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const found = orRefuse(await findApplication(service, request, request.query));
        orRefuse(refuseUnoffered(service));
        const { db } = service;
        const { count, bytes, everyMs } = await termsOf(db, service, found);
        return {
          snapshots: (await snapshotsOf(db, found.id)).map(snapshotRecord),
          restores: (await restoresOf(db, found.id)).map(restoreRecord),
          kept: { count, bytes, ...(everyMs !== null && { everyHours: everyMs / hour }) },
          wishes: await snapshotPreferencesOf(db, found.id),
          dumpable: (await dumpable(service, found)).map(({ pod, kind }) => ({ pod, kind })),
        };
      },
    );

    app.post(
      '/restoreSnapshot',
      {
        config: { limit: 'start' },
        schema: {
          operationId: 'restoreSnapshot',
          summary: 'Restore the data of a snapshot, in place or as a new deployment',
          tags: ['snapshots'],
          description:
            'Replaces the data of the deployment with a snapshot, and restarts the pods that use it. A snapshot of the current data is taken first. With `beside`, starts another deployment with the data. With `dryRun=true`, only describes the effect.',
          access: 'caller in body',
          refusals: [
            ...refusalsOfSnapshots,
            ...refusalsOfAdmission,
            ...refusalsOfDocuments,
            'application_exists',
            'application_suspended',
            'revision_not_found',
            'snapshot_not_found',
            'volume_not_found',
            'snapshot_under_way',
          ],
          querystring: RestoreQuery,
          body: RestoreFields,
          response: { 200: RestoreAnswer, '4xx': ErrorRecord, 503: ErrorRecord },
        },
      },
      async (request) => {
        const caller = orRefuse(await requireCaller(service, request, request.body));
        const found = orRefuse(applicationOf(caller, request.body));
        const { applicationName: name } = found;
        if (request.body.beside) {
          const isTrial = request.query.dryRun === 'true';
          const { snapshot, volumes } = request.body;
          const started = orRefuse(
            await restoreIntoNew(service, found, {
              snapshot,
              volumes,
              caller,
              origin: originOf(request, service.settings),
              isTrial,
              explain: (document, bounds) => refuseBeyond(documents, request, { document, bounds }),
            }),
          );
          return { ...besideAnswer(started, service.urlOf) };
        }
        orRefuse(refuseSuspended(found));
        if (request.query.dryRun === 'true') {
          orRefuse(refuseUnoffered(service));
          const { snapshot, volumes, dumps, left } = orRefuse(await findRestoring(service.db, found.id, request.body));
          const { spec } = await revisionOf(service.db, service.seal, found.id, wantedRevision(found));
          const users = podsOfVolumes(spec);
          const stopped = [...new Set(volumes.flatMap((volume) => users.get(volume) ?? []))].sort();
          const since = new Date(snapshot.takenAt!).toISOString();
          const all = [...volumes, ...dumps.flatMap((dump) => dump.volumes)];
          const loading =
            dumps.length === 0 ? '' : ` ${dumps.map(({ pod }) => pod).join(', ')} would load it while running.`;
          return {
            dryRun: true as const,
            snapshot: snapshotRecord(snapshot),
            volumes: all,
            left,
            stopped,
            message: `Everything that ${name} has written to ${all.join(', ')} since ${since} would be replaced; ${beforeWords(request.body)}${loading}`,
          };
        }
        const requested = orRefuse(await restoreSnapshot(service, found, request.body));
        const message = `The data of ${name} are being restored; ${beforeWords(request.body)}`;
        return { message, restore: restoreRecord(requested) };
      },
    );

    app.post(
      '/setSnapshotWishes',
      {
        schema: {
          operationId: 'setSnapshotWishes',
          summary: 'Set when snapshots of a deployment are taken',
          tags: ['snapshots'],
          description:
            'With `beforeUpdates`, the service takes a snapshot before each update that changes a pod with volumes. The update fails if the snapshot fails.',
          access: 'caller in body',
          refusals: [...refusalsOfSnapshots, 'snapshot_needs_claim'],
          querystring: ApplicationQuery,
          body: PreferencesFields,
          response: { 200: PreferencesAnswer, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const found = orRefuse(await findApplication(service, request, request.body));
        const { beforeUpdates } = request.body;
        const changes = beforeUpdates === undefined ? {} : { beforeUpdates };
        const wishes = orRefuse(await changePreferences(service, found, changes));
        const { applicationName: name } = found;
        const message = wishes.beforeUpdates
          ? `A snapshot is taken before each update of ${name} that changes a pod with volumes.`
          : `No snapshot is taken before an update of ${name}, unless the update requests one.`;
        return { message, wishes };
      },
    );

    app.post(
      '/deleteSnapshot',
      {
        schema: {
          operationId: 'deleteSnapshot',
          summary: 'Delete a snapshot',
          tags: ['snapshots'],
          description: 'Deletes a snapshot. Data that no other snapshot uses is deleted within the hour.',
          access: 'caller in body',
          refusals: [...refusalsOfApplications, 'application_suspended', 'snapshot_not_found', 'snapshot_under_way'],
          querystring: ApplicationQuery,
          body: SnapshotFields,
          response: { 200: DeletedRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const found = orRefuse(await findApplication(service, request, request.body));
        orRefuse(refuseSuspended(found));
        const deleted = orRefuse(await deleteSnapshot(service, found, request.body.snapshot));
        return { message: `Snapshot ${deleted.id} is deleted.` };
      },
    );
  };
}

function beforeWords({ withoutSnapshot }: { withoutSnapshot?: boolean }): string {
  return withoutSnapshot
    ? 'no snapshot is taken before: it is lost.'
    : 'a snapshot of the current data is taken first.';
}

/** A trial has no restore. */
function besideAnswer(
  { deployment, sessionToken, snapshot, volumes, left, restore }: RestoredIntoNew,
  urlOf: Service['urlOf'],
) {
  const { applicationName, environment, label, claimedAt } = deployment;
  const since = new Date(snapshot.takenAt!).toISOString();
  const what = `with ${volumes.join(', ')} as of ${since}, from revision ${snapshot.revision}`;
  if (!restore)
    return {
      dryRun: true as const,
      snapshot: snapshotRecord(snapshot),
      volumes,
      left,
      stopped: [],
      message: `Another ${applicationName} would be started ${what}. The existing deployment does not change.`,
    };
  const url = urlOf(label).origin;
  const claimed = claimedAt !== null;
  return {
    message:
      `Another ${applicationName} is being started ${what}: ${url}` +
      (claimed
        ? ''
        : ' It is free and expires, because the account does not allow its session tokens to start claimed deployments.'),
    restore: restoreRecord(restore),
    started: { url, sessionToken, applicationName, environment, claimed },
  };
}
