/** The options of the sign-in library. They include everything that it would otherwise read from its environment. */
import { kyselyAdapter } from '@better-auth/kysely-adapter';
import type { BetterAuthOptions, GenericEndpointContext } from 'better-auth';
import { APIError, getSessionFromCtx } from 'better-auth/api';
import { hideTokens } from '../lib/ids.ts';
import { signInCookiePrefix } from '../lib/sign-in-cookie.ts';
import { accountById } from '../store/accounts.ts';
import { isPostgres } from '../store/dialect/dialect.ts';
import { endPasswordLinks } from '../store/sign-ins.ts';
import { endAccount } from './deletion.ts';
import { withHashedTokens } from './hashed-tokens.ts';
import { addressesIn, isChangeOfAddress, verificationLink } from './mail-links.ts';
import type { Mailer } from './mailer.ts';
import type { Wiring } from './open.ts';
import { requireProofs } from './proofs.ts';
import { githubProvider } from './sign-in-providers.ts';
import { signInSecret } from './sign-in-secret.ts';

const day = 24 * 60 * 60;
/** RFC 5321 allows no longer path. */
const mostEmail = 254;
const mostName = 100;

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
      // Where no mails are sent, no address is proven, and neither is the next one.
      changeEmail: { enabled: true, updateEmailWithoutVerification: mailer === undefined },
      deleteUser: { enabled: true, beforeDelete: async ({ id }: { id: string }) => await endAccount(db, id, now()) },
    },
    // 30 days from the sign-in, not from the last visit: then no answer but that to a sign-in sets a cookie.
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
    // Ours counts (api/limits.ts): by one address behind the edge, in memory that has a bound.
    rateLimit: { enabled: false },
    advanced: {
      cookiePrefix: signInCookiePrefix(baseUrl),
      // It would put `__Secure-` before the name, which any host of the same domain may set.
      useSecureCookies: false,
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/', secure: baseUrl.protocol === 'https:' },
      disableCSRFCheck: false,
      disableOriginCheck: false,
      ipAddress: { disableIpTracking: true },
      backgroundTasks: { handler: (work: Promise<unknown>) => void work },
    },
    telemetry: { enabled: false },
    // To the API's boundary, which logs it under a reference; else it goes to the console.
    onAPIError: { throw: true },
    // Only the message, without tokens of ours that users have put into an address. Informational messages are left
    // out, because they contain addresses of people. At `warn` it also writes to the console.
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
  if (email !== undefined && email.length > mostEmail) throw APIError.from('BAD_REQUEST', tooLong('email', mostEmail));
  if (name !== undefined && name.length > mostName) throw APIError.from('BAD_REQUEST', tooLong('name', mostName));
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
