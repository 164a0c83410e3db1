/** Callers: the only place that turns a session token, an API key or a cookie into a caller with its deployments. */
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Deployment } from '../../deployment/deployment.ts';
import { keptUntil } from '../../deployment/grace.ts';
import type { SessionStarts } from '../../deployment/limits/session-starts.ts';
import type { AuthMethod } from '../../deployment/revision-history.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { accountOfApiKey } from '../../store/api-keys.ts';
import { activeDeployments, activeDeploymentsOfAccount } from '../../store/deployments.ts';
import { restorableDeployments } from '../../store/restorable-deployments.ts';
import { isOpenSession, recordTokenUse, sessionOfToken } from '../../store/sessions.ts';
import type { Service, SignIn } from '../api-service.ts';
import { isSafe, isSameOrigin } from './browser-security.ts';
import { clientAddress } from './client-address.ts';

/** Optional in the schemas because `Authorization: Bearer` or a cookie may stand for the caller instead. */
const SessionToken = Type.Optional(
  Type.String({ maxLength: 200, description: 'The session token. Prefer `Authorization: Bearer`.' }),
);
const ApplicationName = Type.String({ minLength: 1, maxLength: 200, description: 'Name of the application.' });
const Environment = Type.Optional(
  Type.String({
    maxLength: 100,
    description: 'The environment. Required if an account has two applications of one name.',
  }),
);

export const TokenQuery = Type.Object({ sessionToken: SessionToken });
export const TokenBody = Type.Object({ sessionToken: SessionToken });
export const UpdateQuery = Type.Object({ sessionToken: SessionToken, environment: Environment });
/**
 * The query of a request whose JSON body can contain the same fields. A field that is missing in the body is read from
 * the query.
 */
export const ApplicationQuery = Type.Object({
  sessionToken: SessionToken,
  applicationName: Type.Optional(ApplicationName),
  environment: Environment,
});
export const ApplicationFields = Type.Object({
  sessionToken: SessionToken,
  applicationName: ApplicationName,
  environment: Environment,
});

/** A session has access to its own deployments, an account to those of all its sessions. */
export type Caller =
  | {
      kind: 'session';
      sessionId: string;
      token: string;
      accountId: string | null;
      starts: SessionStarts;
      deployments: Deployment[];
    }
  | { kind: 'account'; accountId: string; isSignedIn: boolean; deployments: Deployment[] };

/** Distinguishes a key from a session token, and identifies it to secret scanners. */
export const apiKeyPrefix = 'berthkey';

export type Given = { sessionToken?: string };
type Named = Given & { applicationName: string; environment?: string };

/** The caller with its active deployments. Undefined for a request without credentials. */
export async function findCaller(
  service: Service,
  request: FastifyRequest,
  given: Given,
): Promise<Result<Caller | undefined>> {
  const token = tokenOf(request, given);
  if (token !== undefined && !isApiKey(token, given)) return await findSession(service, request, token);
  const accountId = token === undefined ? await findSignedIn(service, request) : await findKeyOwner(service, token);
  if (!accountId.ok || accountId.value === undefined) return accountId as Result<undefined>;
  const deployments = await activeDeploymentsOfAccount(service.db, accountId.value, service.now());
  return succeed({ kind: 'account', accountId: accountId.value, isSignedIn: token === undefined, deployments });
}

/** The caller as recorded in revisions. */
export function authMethodOf(caller: Caller | undefined): AuthMethod {
  if (caller?.kind !== 'account') return 'session';
  return caller.isSignedIn ? 'sign-in' : 'api-key';
}

/** As `findCaller`, for endpoints that require a session or an account. */
export async function requireCaller(service: Service, request: FastifyRequest, given: Given): Promise<Result<Caller>> {
  const caller = await findCaller(service, request, given);
  if (!caller.ok || caller.value) return caller as Result<Caller>;
  return refuse(
    'missing_token',
    'The sessionToken is missing.',
    'Send the sessionToken that the start returned as Authorization: Bearer, in the query or in the JSON body; or an API key as Authorization: Bearer.',
  );
}

/** An application of the caller. */
export async function findApplication(
  service: Service,
  request: FastifyRequest,
  given: Named,
): Promise<Result<Deployment>> {
  const caller = await requireCaller(service, request, given);
  if (!caller.ok) return caller;
  const active = applicationOf(caller.value, given);
  if (active.ok || active.problem.code !== 'application_not_found') return active;
  const ended = await findRestorable(service, request, given);
  return ended?.ok ? refuse(active.problem.code, active.problem.error, restoreHint([ended.value])) : active;
}

/** Returns whether an inactive name may belong to an ended deployment. Any other refusal is final. */
export function mayHaveEnded(active: Result<Deployment>): boolean {
  return !active.ok && ['application_not_found', 'session_not_found'].includes(active.problem.code);
}

/**
 * The ended, retained application that the request names, or undefined. The token of an ended session is only good for
 * this.
 */
export async function findRestorable(
  service: Service,
  request: FastifyRequest,
  given: Named,
): Promise<Result<Deployment> | undefined> {
  const token = tokenOf(request, given);
  const owner =
    token !== undefined && !isApiKey(token, given)
      ? await sessionOfToken(service.db, token).then((session) => session && { sessionId: session.id })
      : await findAccount(service, request, given);
  if (!owner) return undefined;
  const now = service.now();
  const kept = await restorableDeployments(service.db, owner, now);
  const { applicationName, environment } = given;
  const found = kept.filter(
    (known) =>
      known.applicationName === applicationName &&
      (environment === undefined || known.environment === environment) &&
      keptUntil(known, now, service.settings.graceMs) !== null,
  );
  if (found.length > 1) return isAmbiguous(`${found.length} applications of this name have ended.`, found);
  return found[0] && succeed(found[0]);
}

async function findAccount(service: Service, request: FastifyRequest, given: Given) {
  const token = tokenOf(request, given);
  const found = token === undefined ? await findSignedIn(service, request) : await findKeyOwner(service, token);
  return found.ok && found.value !== undefined ? { accountId: found.value } : undefined;
}

export function applicationOf(
  { kind, deployments }: Caller,
  { applicationName, environment }: Omit<Named, 'sessionToken'>,
): Result<Deployment> {
  const found = deployments.filter(
    (known) =>
      known.applicationName === applicationName && (environment === undefined || known.environment === environment),
  );
  if (found.length > 1) return isAmbiguous(`The account has ${found.length} applications of this name.`, found);
  if (found[0]) return succeed(found[0]);
  const names = deployments.map((known) => known.applicationName).join(', ');
  const hint = deployments.length === 0 ? 'Start it first.' : `This ${kind} has: ${names}.`;
  return refuse('application_not_found', 'The application was not found.', hint);
}

function isAmbiguous(sentence: string, found: readonly Deployment[]) {
  const environments = found.map((known) => known.environment).join(', ');
  return refuse('ambiguous_application', sentence, `Say which with environment: ${environments}.`);
}

/** The account that the request's cookie is signed in to. Another site must not be able to use the cookie. */
export async function findSignedIn(service: Service, request: FastifyRequest): Promise<Result<string | undefined>> {
  const signIn = await findSignIn(service, request);
  return signIn.ok ? succeed(signIn.value?.accountId) : signIn;
}

async function findSignIn(service: Service, request: FastifyRequest): Promise<Result<SignIn | undefined>> {
  if (request.headers.cookie === undefined) return succeed(undefined);
  const signIn = await service.accounts.signedIn(new Headers({ cookie: request.headers.cookie }));
  if (signIn && !isSafe(request) && !isSameOrigin(request, service.settings.baseUrl)) {
    return refuse(
      'cross_site_request',
      'A request with a cookie that changes something must come from this site.',
      'Scripts send an API key as Authorization: Bearer instead of a cookie.',
    );
  }
  return succeed(signIn);
}

/** Returns the account of a key or a cookie. Session tokens are not sufficient here. */
export async function requireAccount(service: Service, request: FastifyRequest): Promise<Result<string>> {
  const key = tokenOf(request, {});
  return key !== undefined && isApiKey(key, {})
    ? await findKeyOwner(service, key)
    : await requireSignedIn(service, request);
}

/** The account of a cookie alone. */
export async function requireSignedIn(service: Service, request: FastifyRequest): Promise<Result<string>> {
  const signIn = await requireSignIn(service, request);
  return signIn.ok ? succeed(signIn.value.accountId) : signIn;
}

/** As `requireSignedIn`, with the sign-in of the cookie. */
export async function requireSignIn(service: Service, request: FastifyRequest): Promise<Result<SignIn>> {
  const signIn = await findSignIn(service, request);
  if (!signIn.ok || signIn.value) return signIn as Result<SignIn>;
  return refuse('not_signed_in', 'You are not signed in.', 'Sign in with POST /api/auth/sign-in/email.');
}

/** The token of the query, the body, or the Authorization header. */
export function tokenOf(request: FastifyRequest, given: Given): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '');
  return given.sessionToken || bearer?.[1];
}

/** Returns the session token, if the request contains one. */
export function sessionTokenOf(request: FastifyRequest, given: Given): string | undefined {
  const token = tokenOf(request, given);
  return token !== undefined && isApiKey(token, given) ? undefined : token;
}

/** A session without active deployments is treated like an unknown one. */
async function findSession(service: Service, request: FastifyRequest, token: string): Promise<Result<Caller>> {
  const session = await sessionOfToken(service.db, token);
  const deployments = session ? await activeDeployments(service.db, session.id, service.now()) : [];
  const isThere = deployments.length > 0 || (session && (await isOpenSession(service.db, session.id, service.now())));
  if (!session) return sessionNotFound;
  if (!isThere) return await refuseEnded(service, session.id);
  const { id: sessionId, accountId, starts } = session;
  await recordTokenUse(service.db, session, { now: service.now(), from: clientAddress(request) })
    // On a full disk the use is not recorded, but reads still work.
    .catch((error: unknown) => request.log.warn({ err: error }, 'the use of a token was not noted'));
  return succeed({ kind: 'session', sessionId, token, accountId, starts, deployments });
}

/** Handles the token of a session whose deployments have all ended. It can restore deployments with retained data. */
async function refuseEnded({ db, settings, now }: Service, sessionId: string): Promise<Result<Caller>> {
  const at = now();
  const ended = await restorableDeployments(db, { sessionId }, at);
  const kept = ended.filter((deployment) => keptUntil(deployment, at, settings.graceMs) !== null);
  if (kept.length === 0) return sessionNotFound;
  const error = 'All deployments of this session have expired or were removed.';
  return refuse('session_not_found', error, restoreHint(kept));
}

function restoreHint(kept: readonly Deployment[]): string {
  const names = kept.map(({ applicationName }) => applicationName).join(', ');
  return `POST /restoreDeployment with the same token brings back ${names}, at the same address and with its data.`;
}

export const sessionNotFound = refuse(
  'session_not_found',
  'No session has this token, its owner has ended it, or all of its deployments have expired or were removed.',
  'Start a new deployment to get a new sessionToken.',
);

/**
 * Returns whether the token or key of a request is still valid, because it may have been revoked since. Cookies are not
 * checked.
 */
export async function isKnown(service: Service, request: FastifyRequest, given: Given): Promise<boolean> {
  const token = tokenOf(request, given);
  if (token === undefined) return true;
  if (isApiKey(token, given)) return (await findKeyOwner(service, token)).ok;
  return (await sessionOfToken(service.db, token)) !== undefined;
}

/** Keys are only accepted in the header, because addresses may appear in logs. */
function isApiKey(token: string, { sessionToken }: Given): boolean {
  return !sessionToken && token.startsWith(`${apiKeyPrefix}_`);
}

async function findKeyOwner({ db, now }: Service, key: string): Promise<Result<string>> {
  const accountId = await accountOfApiKey(db, key, now());
  if (accountId !== undefined) return succeed(accountId);
  return refuse('invalid_api_key', 'No account has this API key.', 'Keys are made and revoked in the dashboard.');
}
