/** PURE. What the description says of operations on accounts and on the service, by `operationId`. */
import type { OperationNote } from './operation-note.ts';

export const notesOfAccounts: Record<string, OperationNote> = {
  getClaim: {
    tag: 'accounts',
    access: 'public',
    description: 'For the page that asks whether to claim.',
    refusals: ['claim_not_found', 'claim_expired', 'already_claimed'],
  },
  confirmClaim: {
    tag: 'accounts',
    access: 'sign-in',
    description:
      'The session token goes on working for whoever has it, unless `endToken` is set; what is started with it from now on is free and expires. A second time by the same account changes nothing and answers the same.',
    refusals: ['claim_not_found', 'claim_expired', 'claim_changed', 'already_claimed', 'plan_limit_reached', 'banned'],
  },
  getSignInMethods: {
    tag: 'accounts',
    access: 'public',
    description: 'Passwords, passkeys, and the providers that are set up.',
  },
  getAccount: { tag: 'accounts', access: 'account', description: 'Its name, its plan, and what of the plan is taken.' },
  getLimits: {
    tag: 'accounts',
    access: 'optional',
    description: 'Without a token: what a first start from this address may have.',
  },
  listTokens: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'With what each manages, when and from where it was made and last used. The tokens are not stored.',
  },
  changeToken: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'What exists stays as it is.',
    refusals: ['token_not_found'],
  },
  replaceToken: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'The one before ends at once, as with `DELETE /api/tokens/{id}`.',
    refusals: ['token_not_found'],
  },
  endToken: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'Requests with the token are refused from now on, and streams that it has opened end.',
    refusals: ['token_not_found'],
  },
  listImages: {
    tag: 'accounts',
    access: 'caller',
    description: 'Of the session, or of the account with its sessions. Layers that several share count for each.',
  },
  listKeys: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'Names and first letters; the keys themselves are not stored.',
  },
  addKey: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'A key stands for the account as `Authorization: Bearer`.',
    refusals: ['plan_limit_reached'],
  },
  removeKey: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'Requests with the key are refused from now on.',
    refusals: ['api_key_not_found'],
  },
  getNotifications: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'With what came of the last call of the webhook. Its secret is not told again.',
  },
  setNotifications: {
    tag: 'accounts',
    access: 'sign-in',
    description:
      'What is left out stays. A new address of a webhook gets a new secret; the same one is called again after it was switched off.',
  },
  testNotifications: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'It is sent once, within a few seconds.',
    refusals: ['webhook_not_found'],
  },
  listSignIns: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'The newest first. Their cookies are not stored.',
  },
  removeSignIn: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'Its cookie opens nothing from now on. All others at once: `POST /api/auth/revoke-other-sessions`.',
    refusals: ['sign_in_not_found'],
  },
  startLogin: {
    tag: 'accounts',
    access: 'public',
    description:
      'For a program that wants an API key: show `userCode` and `url` to a person, who confirms it in a browser, and ask for the key meanwhile. As RFC 8628 has it.',
  },
  getLogin: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'Counted like signing in: codes cannot be tried out.',
    refusals: ['login_not_found'],
  },
  decideLogin: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'The first decision counts. Counted like signing in.',
    refusals: ['login_not_found', 'plan_limit_reached'],
  },
  fetchKey: {
    tag: 'accounts',
    access: 'public',
    description: 'Asked again every `intervalSeconds` until somebody has decided; the key is shown this once.',
    refusals: ['authorization_pending', 'slow_down', 'access_denied', 'expired_token', 'plan_limit_reached'],
  },
};
