/** Proofs that the sign-in library does not require: before an account is deleted, or gets another address. */
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api';
import type { Instant } from '../deployment/deployment.ts';
import { isChangeOfAddress } from './mail-links.ts';

/** A user who has just signed in needs no further proof. */
const freshMs = 10 * 60_000;

/** Called before each request to the library. */
export function requireProofs(now: () => Instant) {
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
    // The owner of the address can set a new password.
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
    // Without a sign-in the library would make one, for whomever the mail was sent to by mistake.
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
