/** Updates a deployment: all writes are in one transaction. */
import type { Source } from '../../builds/sources.ts';
import type { AppSpec } from '../../config/spec/spec.ts';
import { type Deployment, isActive } from '../../deployment/deployment.ts';
import type { UpdatePreview } from '../../deployment/preview/update-preview.ts';
import type { AuthMethod } from '../../deployment/revision-history.ts';
import { withoutFailures } from '../../deployment/status/deployment-status.ts';
import { nextState } from '../../deployment/status/lifecycle.ts';
import { refuseSuspended } from '../../deployment/suspension.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import type { Database } from '../../store/database.ts';
import { deploymentById } from '../../store/deployments.ts';
import { intend } from '../../store/intents.ts';
import type { Origin } from '../../store/origins.ts';
import { addRevision, copyImages, settledImages } from '../../store/revisions.ts';
import { provideSeed } from '../../store/seeds.ts';
import { accountOfSession, sessionOfToken } from '../../store/sessions.ts';
import { snapshotPreferencesOf } from '../../store/snapshot-preferences.ts';
import { transact } from '../../store/transaction.ts';
import { admit } from '../admission/admission.ts';
import { refuseBanned } from '../admission/caller-admission.ts';
import { planOfDeployment } from '../admission/plans.ts';
import type { Service } from '../api-service.ts';
import type { Bounds } from '../configuration/reading/read-document.ts';
import { sessionNotFound } from '../requests/callers.ts';
import { isStored, refuseUnoffered, requestBeforeUpdate } from '../volume-snapshots/snapshot-requests.ts';
import { findPushed, settlePushed } from './pushed-references.ts';
import { builtFrom, requestBuild, retainSource } from './source-builds.ts';

export type Updating = {
  document: string;
  spec: AppSpec;
  current: Deployment;
  /** The changes of each pod. */
  preview: () => Promise<UpdatePreview>;
  /** The session token of the request, if it used one. */
  token: string | undefined;
  origin: Origin;
  askedBy: AuthMethod;
  /** The earlier revision with the same document. The update uses the images of that revision. */
  repeats?: number;
  /** Whether a snapshot is taken before an update of a pod with volumes. Default: the owner's preference. */
  snapshotsBefore?: boolean | undefined;
  /** The source of its images, if any are built. */
  source?: Source | undefined;
  isTrial: boolean;
  /** Returns an error that names the part of the document that exceeds these bounds. */
  explain: (bounds: Bounds) => Promise<Result<never>>;
};

export async function update(service: Service, updating: Updating): Promise<Result<Deployment>> {
  const { document, spec, current, preview, token, origin, askedBy, repeats, source, isTrial, explain } = updating;
  const { snapshotsBefore } = updating;
  const now = service.now();
  const budget = await service.budget();
  // The setting applies only while the deployment is claimed. Otherwise it could block updates of an unclaimed one.
  const isWanted =
    snapshotsBefore ?? (isStored(current) && (await snapshotPreferencesOf(service.db, current.id)).beforeUpdates);
  const offered = isWanted ? refuseUnoffered(service) : undefined;
  if (offered && !offered.ok) return offered;
  const takesSnapshot = isWanted && touchesData(await preview());
  let exceeded: Bounds | undefined;
  const write = async (db: Database): Promise<Result<Deployment>> => {
    if (token !== undefined && !(await sessionOfToken(db, token))) return sessionNotFound;
    const accountId = await accountOfSession(db, current.sessionId);
    const unbanned = await refuseBanned(db, origin, { spec, accountId });
    if (!unbanned.ok) return unbanned;
    const latest = await deploymentById(db, current.id);
    if (!latest || !isActive(latest, now))
      return refuse('application_not_found', 'The application has just ended.', 'Start it again.');
    const free = refuseSuspended(latest);
    if (!free.ok) return free;
    const plan = await planOfDeployment(db, service.settings.tiers, latest);
    const { strangers } = service.settings;
    const requested = { spec, now, sessionId: current.sessionId, deploymentId: current.id };
    const admitted = await admit(db, { budget, strangers, plan, origin }, requested);
    exceeded = admitted.exceeded;
    if (!admitted.ok) return admitted;
    const owner = { sessionId: current.sessionId, accountId: token === undefined ? accountId : null };
    const earlier = repeats === undefined ? {} : await settledImages(db, latest.id, repeats);
    const pushed = await findPushed(db, {
      ...{ spec, owner, baseUrl: service.settings.baseUrl, earlier },
      ...builtFrom(source),
    });
    if (!pushed.ok) return pushed;
    const number = latest.revision + 1;
    if (takesSnapshot && latest.servingRevision !== null) {
      const requested = await requestBeforeUpdate(db, service, latest);
      if (!requested.ok) return requested;
    }
    await provideSeed(db, service.seal, latest.id);
    await addRevision(db, service.seal, latest.id, {
      number,
      spec,
      document,
      createdAt: now,
      askedBy,
      ...(repeats !== undefined && { repeats }),
      commit: source?.commit,
    });
    const written = { deploymentId: latest.id, revision: number };
    if (repeats !== undefined) await copyImages(db, { deploymentId: latest.id, revision: repeats }, written);
    await settlePushed(db, written, pushed.value);
    if (source) await requestBuild(db, service, { ...written, source });
    const state = nextState(latest.state, 'updated');
    const pods = withoutFailures(latest.pods);
    const intent = {
      revision: number,
      state,
      progress: 0,
      explanation: null,
      lastLines: '[]',
      pods: JSON.stringify(pods),
      progressedAt: now,
      // An update also starts a stopped deployment.
      stoppedAt: null,
    };
    await intend(db, latest.id, intent, { event: { kind: 'intent', intent: 'update', revision: number }, now });
    return succeed({
      ...latest,
      revision: number,
      state,
      progress: 0,
      explanation: null,
      lastLines: [],
      pods,
      stoppedAt: null,
    });
  };
  const updated = await transact(service.db, write, { isTrial });
  if (exceeded) return await explain(exceeded);
  if (!isTrial && updated.ok) {
    if (source) retainSource(service, source);
    service.wake(current.id);
    if (takesSnapshot) service.snapshots?.wake();
  }
  return updated;
}

/** Returns whether the update stops a pod with volumes, or changes its volumes. */
function touchesData({ pods }: UpdatePreview): boolean {
  return pods.some(({ change, volumes }) => volumes.length > 0 && change !== 'unchanged' && change !== 'added');
}
