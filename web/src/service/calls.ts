/** The calls of the service that the dashboard makes. */

import type {
  ChangedDomain,
  Configuration,
  Deployment,
  DeploymentMetrics,
  Domain,
  Limits,
  Outline,
  Preview,
  Reservation,
  Restored,
  RestorePreview,
  Revision,
  SharedStatus,
  ShareLink,
  Snapshots,
  Started,
  Updated,
} from './records.ts';
import { type Answer, call, open } from './request.ts';

/** A deployment of this person. Without a session token it is one of the account that is signed in. */
export type Target = { applicationName: string; environment: string; sessionToken?: string | undefined };

export function startDeployment(yaml: string, idempotencyKey: string): Promise<Answer<Started>> {
  const headers = { 'Idempotency-Key': idempotencyKey };
  // Other answers only come from dry runs.
  return call('startDeployment', { body: yaml, headers }) as Promise<Answer<Started>>;
}

export function updateDeployment(target: Target, yaml: string): Promise<Answer<Updated>> {
  const query = environmentOf(target);
  return call('updateDeployment', { body: yaml, query, token: target.sessionToken }) as Promise<Answer<Updated>>;
}

export function statusOf(target: Target, signal?: AbortSignal): Promise<Answer<Deployment>> {
  return call('getDeploymentStatus', { query: queryOf(target), token: target.sessionToken, signal });
}

export function limitsOf(target: Target): Promise<Answer<Limits>> {
  return call('getLimits', { token: target.sessionToken });
}

/** Refused with `share_not_found` if it does not exist. */
export function shareLinkOf(target: Target): Promise<Answer<ShareLink>> {
  return call('getShareLink', { query: queryOf(target), token: target.sessionToken });
}

export function shareDeployment(target: Target): Promise<Answer<ShareLink>> {
  return call('shareDeployment', { body: queryOf(target), token: target.sessionToken });
}

export function unshareDeployment(target: Target): Promise<Answer<unknown>> {
  return call('unshareDeployment', { body: queryOf(target), token: target.sessionToken });
}

/** `token`: that of a share link. */
export function sharedStatusOf(token: string): Promise<Answer<SharedStatus>> {
  return call('getSharedStatus', { path: { token } });
}

export function reservationsOf(sessionToken?: string): Promise<Answer<{ reservedDeployments: Reservation[] }>> {
  return call('listDeployments', { token: sessionToken });
}

export function metricsOf(target: Target, range: 'hour' | 'day'): Promise<Answer<DeploymentMetrics>> {
  return call('getDeploymentMetrics', { query: { ...queryOf(target), range }, token: target.sessionToken });
}

export function outlineOf(target: Target): Promise<Answer<Outline>> {
  return call('getDeploymentOutline', { query: queryOf(target), token: target.sessionToken });
}

/** Returns the document, which contains the secrets of the deployment. `revision`: an earlier one than the last. */
export function configurationOf(target: Target, revision?: number): Promise<Answer<Configuration>> {
  const query = { ...queryOf(target), ...(revision !== undefined && { revision: String(revision) }) };
  return call('getDeploymentConfiguration', { query, token: target.sessionToken });
}

/** Latest first. */
export function revisionsOf(target: Target): Promise<Answer<{ revisions: Revision[] }>> {
  return call('getDeploymentRevisions', { query: queryOf(target), token: target.sessionToken });
}

/** An update with the document of an earlier revision. */
export function rollBack(target: Target, revision: number): Promise<Answer<unknown>> {
  return call('rollbackDeployment', { body: { ...queryOf(target), revision }, token: target.sessionToken });
}

export function previewUpdate(target: Target, yaml: string): Promise<Answer<Preview>> {
  return call('previewUpdate', { body: yaml, query: environmentOf(target), token: target.sessionToken });
}

/** @returns the interface's sentence. */
export function extendDeployment(target: Target): Promise<Answer<string>> {
  return call('extendDeployment', { body: queryOf(target), token: target.sessionToken });
}

export function claimDeployment(target: Target): Promise<Answer<{ claimUrl: string }>> {
  return call('claimDeployment', { body: queryOf(target), token: target.sessionToken });
}

/** Holds a deployment beyond its time limit, if the account's plan allows that. */
export function addReservation(target: Target): Promise<Answer<{ message: string }>> {
  return call('addDeploymentReservation', { body: queryOf(target), token: target.sessionToken });
}

/** Ends the hold. The deployment then lives until its time limit. */
export function releaseDeployment(target: Target): Promise<Answer<{ message: string }>> {
  return call('releaseDeployment', { body: queryOf(target), token: target.sessionToken });
}

export function restoreDeployment(target: Target): Promise<Answer<{ message: string }>> {
  return call('restoreDeployment', { body: queryOf(target), token: target.sessionToken });
}

/** Removes the retained data of an ended deployment at once. */
export function deleteRetainedData(target: Target): Promise<Answer<{ message: string }>> {
  return call('removeDeploymentReservation', {
    body: { ...queryOf(target), forget: true },
    token: target.sessionToken,
  });
}

export function stopApplication(target: Target): Promise<Answer<unknown>> {
  return call('stopApplication', { body: queryOf(target), token: target.sessionToken });
}

export function startApplication(target: Target): Promise<Answer<unknown>> {
  return call('startApplication', { body: queryOf(target), token: target.sessionToken });
}

export function restartPod(target: Target, pod: string): Promise<Answer<unknown>> {
  return call('restartPod', { body: { ...queryOf(target), pod }, token: target.sessionToken });
}

export function removeDeployment(target: Target): Promise<Answer<{ message: string; restorableUntil?: string }>> {
  return call('removeDeploymentReservation', { body: queryOf(target), token: target.sessionToken });
}

/** The newest first, with what is being restored. */
export function snapshotsOf(target: Target): Promise<Answer<Snapshots>> {
  return call('getSnapshots', { query: queryOf(target), token: target.sessionToken });
}

/** `dump`: databases that are dumped with their own tools. */
export function takeSnapshot(target: Target, { dump }: { dump: boolean }): Promise<Answer<{ message: string }>> {
  return call('createSnapshot', { body: { ...queryOf(target), ...(dump && { dump }) }, token: target.sessionToken });
}

/** The part of a snapshot to restore. `volumes`: all, unless some are named; `beside`: into a new deployment. */
export type Restoring = { snapshot: string; volumes?: string[]; beside?: true };

export function restoreSnapshot(target: Target, restoring: Restoring): Promise<Answer<Restored>> {
  const body = { ...queryOf(target), ...restoring };
  return call('restoreSnapshot', { body, token: target.sessionToken }) as Promise<Answer<Restored>>;
}

export function previewRestore(target: Target, restoring: Restoring): Promise<Answer<RestorePreview>> {
  const body = { ...queryOf(target), ...restoring };
  const query = { dryRun: 'true' as const };
  return call('restoreSnapshot', { body, query, token: target.sessionToken }) as Promise<Answer<RestorePreview>>;
}

export function setSnapshotPreferences(
  target: Target,
  wishes: Partial<Snapshots['wishes']>,
): Promise<Answer<{ message: string }>> {
  return call('setSnapshotWishes', { body: { ...queryOf(target), ...wishes }, token: target.sessionToken });
}

export function deleteSnapshot(target: Target, snapshot: string): Promise<Answer<{ message: string }>> {
  return call('deleteSnapshot', { body: { ...queryOf(target), snapshot }, token: target.sessionToken });
}

/** Streams the tar of an export. A refusal is a response with a status of 400 or more. */
export function openExport(
  target: Target,
  { secrets, volumes }: { secrets: boolean; volumes: boolean },
  signal: AbortSignal,
): Promise<Answer<Response>> {
  const query = {
    ...queryOf(target),
    secrets: secrets ? 'true' : 'false',
    volumes: volumes ? 'true' : 'false',
  } as const;
  return open('exportDeployment', { query, token: target.sessionToken, signal });
}

export function listDomains(target: Target): Promise<Answer<{ domains: Domain[] }>> {
  return call('listDomains', { query: queryOf(target), token: target.sessionToken });
}

/** `redirectTo`: another domain of the deployment, to which visitors are sent on. */
export function addDomain(target: Target, domain: string, redirectTo?: string): Promise<Answer<ChangedDomain>> {
  const body = { ...queryOf(target), domain, ...(redirectTo !== undefined && { redirectTo }) };
  return call('addDomain', { body, token: target.sessionToken });
}

/** Looked up now. */
export function checkDomain(target: Target, domain: string): Promise<Answer<ChangedDomain>> {
  return call('checkDomain', { body: { ...queryOf(target), domain }, token: target.sessionToken });
}

export function removeDomain(target: Target, domain: string): Promise<Answer<{ message: string }>> {
  return call('removeDomain', { body: { ...queryOf(target), domain }, token: target.sessionToken });
}

export function queryOf(target: Target): { applicationName: string; environment?: string } {
  return { applicationName: target.applicationName, ...environmentOf(target) };
}

/** A session has one deployment of a name. An account may have several, in different environments. */
function environmentOf({ sessionToken, environment }: Target): { environment?: string } {
  return sessionToken === undefined ? { environment } : {};
}
