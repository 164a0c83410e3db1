/** What the sign-in library is told. Whatever it would take from its environment is said here. */
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
      // An address that nobody has proven may be another one's: whoever comes with it from a provider is not let in.
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
        // The answer does not tell that the address is known: its owner is told instead.
        onExistingUserSignUp: async ({ user }: Pick<Letter, 'user'>) =>
          await mailer.sendKnownAddress(user.email, baseUrl.origin),
        sendResetPassword: async ({ user, url }: Letter) => {
          // The account was read before the link was made: it may have another address by now.
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
        // Whoever opens the link may not be who has signed up: somebody else's account must not become theirs.
        autoSignInAfterVerification: false,
        sendVerificationEmail: async ({ user, url, token }: Letter & { token: string }) => {
          const link = verificationLink(url, token);
          const change = addressesIn(token);
          if (!change) return await mailer.sendVerification(user.email, link);
          // Told first: there is no link of which its owner does not know.
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
    // The message alone, without tokens of ours that a stranger has written into an address; and not those that tell
    // what happens: they hold addresses of people. At `warn` it also writes to the console.
    logger: {
      level: 'info',
      log(level: 'debug' | 'info' | 'warn' | 'error', message: string) {
        if (level === 'warn' || level === 'error') log[level](`sign-in: ${hideTokens(message).slice(0, 200)}`);
      },
    },
  } satisfies BetterAuthOptions;
}

/** What people are called ends up in lists and tables; a picture is an address that nobody here asks for. */
async function withinBounds(account: { email?: string; name?: string }) {
  const { email, name } = account;
  if (email !== undefined && email.length > mostEmail) throw APIError.from('BAD_REQUEST', tooLong('email', mostEmail));
  if (name !== undefined && name.length > mostName) throw APIError.from('BAD_REQUEST', tooLong('name', mostName));
  return { data: { ...account, image: null } };
}

/** Who reads the mails of an address that an account has no more is not to set its password. */
function endingLinks(db: Wiring['db']) {
  return async (changes: Parameters<typeof withinBounds>[0], context: GenericEndpointContext | null) => {
    const bounded = await withinBounds(changes);
    const signIn = changes.email === undefined || !context ? null : await getSessionFromCtx(context);
    if (signIn) await endPasswordLinks(db, signIn.user.id);
    return bounded;
  };
}

/** Those that were made while the account got its address. */
function endingLateLinks(db: Wiring['db']) {
  return async ({ id }: { id: string }, context: GenericEndpointContext | null) => {
    if (isChangeOfAddress(context?.query?.token)) await endPasswordLinks(db, id);
  };
}

function tooLong(field: string, most: number) {
  return { code: `${field.toUpperCase()}_TOO_LONG`, message: `The ${field} has more than ${most} characters.` };
}

/** A provider's tokens would open somebody's account there; who they are is all that is asked of it. */
async function withoutTokens<T extends object>(credential: T) {
  return { data: { ...credential, accessToken: null, refreshToken: null, idToken: null } };
}
