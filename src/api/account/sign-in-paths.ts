/** The paths below `/api/auth` that the account library answers, and the bodies that it accepts. */
import { type TSchema, Type } from 'typebox';
import type { LimitName } from '../requests/rate-limits.ts';

export type SignInPath = {
  method: 'GET' | 'POST';
  path: string;
  operationId: string;
  summary: string;
  /** For the description; the library checks it. */
  body?: TSchema;
  limit?: LimitName;
  /** Requires a sign-in. */
  isForAccount?: boolean;
};

const Email = Type.String({ format: 'email', maxLength: 254 });
const Password = Type.String({ minLength: 8, maxLength: 128 });
const Token = Type.String({ description: 'The token from the link in the email.' });
const After = (words: string) => Type.Optional(Type.String({ description: `Path of this site ${words}.` }));
const Nothing = Type.Object({}, { description: 'An empty JSON object.' });
/** The result of the browser's `navigator.credentials`, with buffers in base64url. */
const Credential = Type.Object(
  { id: Type.String(), rawId: Type.String(), type: Type.String(), response: Type.Object({}) },
  { additionalProperties: true, description: 'The WebAuthn response of the browser, as JSON.' },
);

export const signInPaths: SignInPath[] = [
  {
    method: 'POST',
    path: 'sign-up/email',
    operationId: 'signUp',
    limit: 'sign-in',
    summary: 'Sign up',
    body: Type.Object({
      name: Type.String({ maxLength: 100 }),
      email: Email,
      password: Password,
      callbackURL: After('to go on to when the address is verified'),
    }),
  },
  {
    method: 'POST',
    path: 'sign-in/email',
    operationId: 'signIn',
    limit: 'sign-in',
    summary: 'Sign in',
    body: Type.Object({
      email: Email,
      password: Type.String(),
      callbackURL: After('to go on to when the address is verified'),
    }),
  },
  {
    method: 'POST',
    path: 'sign-in/social',
    operationId: 'signInWithProvider',
    limit: 'sign-in',
    summary: 'Sign in with a provider; answers its `url`',
    body: Type.Object({
      provider: Type.String({ description: 'Its `id` in GET /api/sign-in-methods.' }),
      callbackURL: After('to come back to'),
      errorCallbackURL: After('to come back to when it fails'),
    }),
  },
  {
    method: 'GET',
    path: 'callback/:provider',
    operationId: 'signInCallback',
    summary: 'Receive a user who returns from a sign-in provider',
  },
  {
    method: 'GET',
    path: 'error',
    operationId: 'signInError',
    summary: 'Show that a sign-in has failed',
  },
  { method: 'POST', path: 'sign-out', operationId: 'signOut', summary: 'Sign out', body: Nothing },
  {
    method: 'GET',
    path: 'get-session',
    operationId: 'getSignIn',
    summary: 'Get the signed-in account; null without one',
  },
  {
    method: 'POST',
    path: 'revoke-other-sessions',
    operationId: 'signOutElsewhere',
    isForAccount: true,
    summary: 'Sign out all other browsers',
    body: Nothing,
  },
  {
    method: 'POST',
    path: 'update-user',
    operationId: 'updateAccount',
    isForAccount: true,
    summary: 'Change the name',
    body: Type.Object({ name: Type.String({ maxLength: 100 }) }),
  },
  {
    method: 'POST',
    path: 'delete-user',
    operationId: 'deleteAccount',
    isForAccount: true,
    limit: 'sign-in',
    summary: 'Delete the account with all of its deployments',
    body: Type.Object({
      password: Type.Optional(Type.String({ description: 'Required if the account has a password.' })),
    }),
  },
  {
    method: 'POST',
    path: 'change-password',
    operationId: 'changePassword',
    isForAccount: true,
    limit: 'sign-in',
    summary: 'Change the password',
    body: Type.Object({
      currentPassword: Type.String(),
      newPassword: Password,
      revokeOtherSessions: Type.Optional(Type.Boolean({ description: 'Signs out all other browsers.' })),
    }),
  },
  {
    method: 'POST',
    path: 'change-email',
    operationId: 'changeEmail',
    isForAccount: true,
    limit: 'sign-in',
    summary:
      'Change the address; if the service sends email, the link in a message to the new address completes the change',
    body: Type.Object({
      newEmail: Email,
      password: Type.Optional(
        Type.String({
          description: 'Required if the account has one. Otherwise, the sign-in must be at most 10 minutes old.',
        }),
      ),
    }),
  },
  {
    method: 'POST',
    path: 'request-password-reset',
    operationId: 'requestPasswordReset',
    limit: 'sign-in',
    summary: 'Request an email with a link that sets a new password',
    body: Type.Object({ email: Email, redirectTo: After('where the person enters the new password') }),
  },
  { method: 'GET', path: 'reset-password/:token', operationId: 'openPasswordReset', summary: 'The link of that mail' },
  {
    method: 'POST',
    path: 'reset-password',
    operationId: 'resetPassword',
    limit: 'sign-in',
    summary: 'Set a password with the token from the link',
    body: Type.Object({ token: Token, newPassword: Password }),
  },
  {
    method: 'POST',
    path: 'send-verification-email',
    operationId: 'sendVerification',
    limit: 'sign-in',
    summary: 'Request another email that verifies the address',
    body: Type.Object({ email: Email, callbackURL: After('to go on to when it is verified') }),
  },
  { method: 'GET', path: 'verify-email', operationId: 'verifyEmail', summary: 'The link of that mail' },
  {
    method: 'GET',
    path: 'passkey/generate-register-options',
    operationId: 'beginPasskey',
    isForAccount: true,
    summary: 'Begin to add a passkey',
  },
  {
    method: 'POST',
    path: 'passkey/verify-registration',
    operationId: 'addPasskey',
    isForAccount: true,
    summary: 'Add a passkey',
    body: Type.Object({ response: Credential, name: Type.Optional(Type.String()) }),
  },
  {
    method: 'GET',
    path: 'passkey/generate-authenticate-options',
    operationId: 'beginPasskeySignIn',
    summary: 'Begin to sign in with a passkey',
  },
  {
    method: 'POST',
    path: 'passkey/verify-authentication',
    operationId: 'signInWithPasskey',
    limit: 'sign-in',
    summary: 'Sign in with a passkey',
    body: Type.Object({ response: Credential }),
  },
  {
    method: 'GET',
    path: 'passkey/list-user-passkeys',
    operationId: 'listPasskeys',
    isForAccount: true,
    summary: 'The passkeys of the account',
  },
  {
    method: 'POST',
    path: 'passkey/delete-passkey',
    operationId: 'removePasskey',
    isForAccount: true,
    summary: 'Remove a passkey',
    body: Type.Object({ id: Type.String() }),
  },
];
