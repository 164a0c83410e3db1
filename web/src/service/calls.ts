/** The calls of the service that the dashboard makes. */
import { type Answer, ask } from './ask.ts';
import type { Configuration, Deployment, Outline, Preview, Reservation, Started, Updated } from './records.ts';

/** A deployment of this person. Without a session token it is one of the account that is signed in. */
export type Target = { applicationName: string; environment: string; sessionToken?: string | undefined };

export function startDeployment(yaml: string, idempotencyKey: string): Promise<Answer<Started>> {
  return ask('/startUserDeployment', { yaml, headers: { 'Idempotency-Key': idempotencyKey } });
}

export function updateDeployment(target: Target, yaml: string): Promise<Answer<Updated>> {
  const { environment, sessionToken } = target;
  return ask('/updateUserDeployment', { yaml, sessionToken, query: { environment: named(target, environment) } });
}

export function statusOf(target: Target, signal?: AbortSignal): Promise<Answer<Deployment>> {
  return ask('/getDeploymentStatus', { query: queryOf(target), sessionToken: target.sessionToken, signal });
}

export function reservationsOf(sessionToken?: string): Promise<Answer<{ reservedDeployments: Reservation[] }>> {
  return ask('/getReservations', { sessionToken });
}

export function outlineOf(target: Target): Promise<Answer<Outline>> {
  return ask('/getDeploymentOutline', { query: queryOf(target), sessionToken: target.sessionToken });
}

/** With the document, which holds the secrets of the deployment. */
export function configurationOf(target: Target): Promise<Answer<Configuration>> {
  return ask('/getDeploymentConfiguration', { query: queryOf(target), sessionToken: target.sessionToken });
}

export function previewUpdate(target: Target, yaml: string): Promise<Answer<Preview>> {
  const { environment, sessionToken } = target;
  return ask('/previewUserDeployment', { yaml, sessionToken, query: { environment: named(target, environment) } });
}

/** @returns the interface's sentence. */
export function extendDeployment(target: Target): Promise<Answer<string>> {
  return ask('/extendDeployment', { json: queryOf(target), sessionToken: target.sessionToken });
}

export function claimDeployment(target: Target): Promise<Answer<{ claimUrl: string }>> {
  return ask('/claimDeployment', { json: queryOf(target), sessionToken: target.sessionToken });
}

/** Holds it beyond its time limit, where the account's plan allows that. */
export function addReservation(target: Target): Promise<Answer<{ message: string }>> {
  return ask('/addDeploymentReservation', { json: queryOf(target), sessionToken: target.sessionToken });
}

export function removeDeployment(target: Target): Promise<Answer<{ message: string }>> {
  return ask('/removeDeploymentReservation', { json: queryOf(target), sessionToken: target.sessionToken });
}

export function queryOf(target: Target): Record<string, string> {
  const environment = named(target, target.environment);
  return { applicationName: target.applicationName, ...(environment !== undefined && { environment }) };
}

/** A session has one deployment of a name; an account may have several, which the environment tells apart. */
function named({ sessionToken }: Target, environment: string): string | undefined {
  return sessionToken === undefined ? environment : undefined;
}
