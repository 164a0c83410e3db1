/** The options of the sign-in library. They include everything that it would otherwise read from its environment. */

import { kyselyAdapter } from '@better-auth/kysely-adapter';
import type { BetterAuthOptions, GenericEndpointContext } from 'better-auth';
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api';
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { hideTokens } from '../lib/ids.ts';
import { parseObject } from '../lib/json.ts';
import { signInCookiePrefix } from '../lib/sign-in-cookie.ts';
import { accountById, releaseSessions } from '../store/accounts.ts';
import { activeDeploymentsOfAccount } from '../store/deployments.ts';
import { isPostgres } from '../store/dialect/dialect.ts';
import { intend } from '../store/intents.ts';
import { discardRetainedData, restorableDeployments } from '../store/restorable-deployments.ts';
import type { Tables } from '../store/rows.ts';
import { endPasswordLinks } from '../store/sign-ins.ts';
import { write } from '../store/transaction.ts';
import { withHashedTokens } from './hashed-tokens.ts';
import type { Mailer } from './mailer.ts';
import type { Wiring } from './open.ts';
import { githubProvider } from './sign-in-providers.ts';
import { signInSecret } from './sign-in-secret.ts';

const day = 24 * 60 * 60;
/** RFC 5321 allows no longer path. */
const maxEmail = 254;
const maxName = 100;

type Letter = { user: { id: string; email: string }; url: string };

/** Without a mailer addresses are not verified, and a password that is forgotten stays so. */
export function authOptions({ db, seal, log, now, settings }: Wiring, mailer: Mailer | undefined) {
  const { baseUrl, otherOrigins, signUp } = settings;
  return {
    appName: 'Berth',
    baseURL: baseUrl.origin,
    basePath: '/api/auth',
    trustedOrigins: [baseUrl.origin, ...otherOrigins],
    secrets: [{ version: 1, value: signInSecret(seal) }],
    database: (options: BetterAuthOptions) =>
      withHashedTokens(kyselyAdapter(db, { type: isPostgres(db) ? 'postgres' : 'sqlite' })(options)),
    user: {
      modelName: 'accounts',
      // Without a mail server, addresses are never verified, so a new address needs no verification either.
      changeEmail: { enabled: true, updateEmailWithoutVerification: mailer === undefined },
      deleteUser: { enabled: true, beforeDelete: async ({ id }: { id: string }) => await endAccount(db, id, now()) },
    },
    // 30 days from the sign-in, not from the last visit. Therefore only the response to a sign-in sets a cookie.
    session: { modelName: 'signIns', expiresIn: 30 * day, disableSessionRefresh: true },
    account: {
      modelName: 'credentials',
      // An unverified address may belong to another person, so a provider's user with the same address is refused.
      accountLinking: { enabled: true, requireLocalEmailVerified: true },
    },
    hooks: { before: requireProofs(now) },
    databaseHooks: {
      user: { create: { before: withinBounds }, update: { before: endingLinks(db), after: endingLateLinks(db) } },
      account: { create: { before: withoutTokens }, update: { before: withoutTokens } },
    },
    verification: { modelName: 'verifications', storeIdentifier: 'hashed' },
    emailAndPassword: {
      enabled: true,
      disableSignUp: signUp === 'closed',
      minPasswordLength: 10,
      maxPasswordLength: 128,
      revokeSessionsOnPasswordReset: true,
      requireEmailVerification: mailer !== undefined,
      ...(mailer && {
        // The response does not reveal that the address is known. Its owner gets a mail instead.
        onExistingUserSignUp: async ({ user }: Pick<Letter, 'user'>) =>
          await mailer.sendKnownAddress(user.email, baseUrl.origin),
        sendResetPassword: async ({ user, url }: Letter) => {
          // The account was read before the link was made. Its address may have changed since.
          const account = await accountById(db, user.id);
          if (account?.email === user.email) await mailer.sendPasswordReset(user.email, url);
          else await endPasswordLinks(db, user.id);
        },
      }),
    },
    ...(mailer && {
      emailVerification: {
        sendOnSignUp: true,
        sendOnSignIn: true,
        // The person who opens the link may not be the one who signed up, and must not be signed in to the other's
        // account.
        autoSignInAfterVerification: false,
        sendVerificationEmail: async ({ user, url, token }: Letter & { token: string }) => {
          const link = verificationLink(url, token);
          const change = addressesIn(token);
          if (!change) return await mailer.sendVerification(user.email, link);
          // Sent first, so that the owner knows of every link.
          await mailer.sendAddressChanges(change.from, baseUrl.origin);
          await mailer.sendChangeOfAddress(change.to, link);
        },
      },
    }),
    socialProviders: { ...githubProvider(settings, signUp === 'closed') },
    // Berth's own rate limit applies (api/limits.ts). It uses the client's address behind the edge and a bounded amount
    // of memory.
    rateLimit: { enabled: false },
    advanced: {
      cookiePrefix: signInCookiePrefix(baseUrl),
      // The option would prefix the name with `__Secure-`, which any host of the same domain may set.
      useSecureCookies: false,
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/', secure: baseUrl.protocol === 'https:' },
      disableCSRFCheck: false,
      disableOriginCheck: false,
      ipAddress: { disableIpTracking: true },
      backgroundTasks: { handler: (work: Promise<unknown>) => void work },
    },
    telemetry: { enabled: false },
    // The error goes to the API's error boundary, which logs it with a reference. Otherwise the library prints it to
    // the console.
    onAPIError: { throw: true },
    // Only the message is logged, without Berth's tokens in addresses. Informational messages are left out, because
    // they contain users' addresses. At `warn`, the library also writes to the console.
    logger: {
      level: 'info',
      log(level: 'debug' | 'info' | 'warn' | 'error', message: string) {
        if (level === 'warn' || level === 'error') log[level](`sign-in: ${hideTokens(message).slice(0, 200)}`);
      },
    },
  } satisfies BetterAuthOptions;
}

/** Names of people appear in lists and tables. A picture is an address that is never requested here. */
async function withinBounds(account: { email?: string; name?: string }) {
  const { email, name } = account;
  if (email !== undefined && email.length > maxEmail) throw APIError.from('BAD_REQUEST', tooLong('email', maxEmail));
  if (name !== undefined && name.length > maxName) throw APIError.from('BAD_REQUEST', tooLong('name', maxName));
  return { data: { ...account, image: null } };
}

/**
 * Ends password links at a change of the address: a reader of mails to the previous address must not set the password.
 */
function endingLinks(db: Wiring['db']) {
  return async (changes: Parameters<typeof withinBounds>[0], context: GenericEndpointContext | null) => {
    const bounded = await withinBounds(changes);
    const signIn = changes.email === undefined || !context ? null : await getSessionFromCtx(context);
    if (signIn) await endPasswordLinks(db, signIn.user.id);
    return bounded;
  };
}

/** Ends links that were created during the change of the address. */
function endingLateLinks(db: Wiring['db']) {
  return async ({ id }: { id: string }, context: GenericEndpointContext | null) => {
    if (isChangeOfAddress(context?.query?.token)) await endPasswordLinks(db, id);
  };
}

function tooLong(field: string, most: number) {
  return { code: `${field.toUpperCase()}_TOO_LONG`, message: `The ${field} has more than ${most} characters.` };
}

/** A provider's tokens would give access to the user's account there. Only the identity is needed. */
async function withoutTokens<T extends object>(credential: T) {
  return { data: { ...credential, accessToken: null, refreshToken: null, idToken: null } };
}

/** Deletes accounts: who may delete one, and what is deleted with it. */

/**
 * Removes the account's deployments with their data and detaches its sessions, so that nothing refers to the account.
 * Keys and sign-ins are removed with the account's row.
 */
async function endAccount(db: Kysely<Tables>, accountId: string, now: Instant): Promise<void> {
  await write(db, 'all', async (db) => {
    const ended = await restorableDeployments(db, { accountId }, now);
    // A deployment that has just reached its time limit has not ended yet, and would be retained.
    const expiring = ended.filter(({ restorableUntil }) => restorableUntil === null);
    for (const { id } of [...(await activeDeploymentsOfAccount(db, accountId, now)), ...expiring])
      await intend(
        db,
        id,
        { removedAt: now, heldAt: null, restorableUntil: null },
        { event: { kind: 'intent', intent: 'remove', because: 'account-deleted' }, now },
      );
    for (const { id } of ended) await discardRetainedData(db, id, { because: 'asked', now });
    await releaseSessions(db, accountId);
  });
}

/**
 * Additional proofs before an account is deleted or gets another address. The sign-in library does not require them.
 */

/** A user who has just signed in needs no further proof. */
const freshMs = 10 * 60_000;

/** Called before each request to the library. */
function requireProofs(now: () => Instant) {
  return createAuthMiddleware(async (context) => {
    const { path, body, query } = context;
    const { internalAdapter, password } = context.context;
    /** Undefined where the account has none: it is signed in to with a provider or a passkey. */
    const passwordHash = async (accountId: string) => {
      const credentials = await internalAdapter.findAccounts(accountId);
      return credentials.find((each) => each.password)?.password ?? undefined;
    };
    // The library accepts a sign-in within the last day, but an open browser must not be enough.
    if (path === '/delete-user' && body?.password === undefined) {
      const signIn = await getSessionFromCtx(context);
      if (signIn && (await passwordHash(signIn.user.id)) !== undefined)
        throw APIError.from('BAD_REQUEST', passwordRequired);
    }
    // The owner of the new address could set a new password.
    if (path === '/change-email') {
      const signIn = await getSessionFromCtx(context);
      if (!signIn) return;
      const hash = await passwordHash(signIn.user.id);
      if (hash === undefined) {
        const signedInAt = new Date(signIn.session.createdAt).getTime();
        if (now() - signedInAt > freshMs) throw APIError.from('FORBIDDEN', signInAgain);
        return;
      }
      if (typeof body?.password !== 'string') throw APIError.from('BAD_REQUEST', passwordRequired);
      if (!(await password.verify({ hash, password: body.password })))
        throw APIError.from('BAD_REQUEST', wrongPassword);
    }
    // Without a sign-in, the library would create one for the recipient, who may have received the mail by mistake.
    if (path === '/verify-email' && isChangeOfAddress(query?.token) && !(await getSessionFromCtx(context))) {
      throw APIError.from('UNAUTHORIZED', signInFirst);
    }
  });
}

const passwordRequired = { code: 'PASSWORD_REQUIRED', message: 'Give the password of the account.' };
const wrongPassword = { code: 'INVALID_PASSWORD', message: 'Invalid password' };
const signInFirst = { code: 'SIGN_IN_FIRST', message: 'Sign in to the account, then open the link again.' };
const signInAgain = {
  code: 'SIGN_IN_AGAIN',
  message: 'Sign out, sign in again, and change the address within 10 minutes: the account has no password to ask for.',
};

/** The page that links in mails lead to, and the purpose of their tokens. */

const verifyPage = '/verify-email';

/** Returns whether a token changes the address of an account. Its signature is not verified yet. */
function isChangeOfAddress(token: unknown): boolean {
  return addressesIn(token) !== undefined;
}

/** Returns the current and the next address of a token that changes an account's address. */
function addressesIn(token: unknown): { from: string; to: string } | undefined {
  if (typeof token !== 'string') return undefined;
  const { email, updateTo } = parseObject(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return typeof email === 'string' && typeof updateTo === 'string' ? { from: email, to: updateTo } : undefined;
}

/** The dashboard shows that an address is verified only if the service confirms the token. */
function verificationLink(link: string, token: string): string {
  const url = new URL(link);
  const page = `${verifyPage}?token=${token}`;
  // The signed-in browser changes the address, not any client that opens the link.
  if (isChangeOfAddress(token)) return new URL(page, url).href;
  if (url.searchParams.get('callbackURL') === verifyPage) url.searchParams.set('callbackURL', page);
  return url.href;
}
