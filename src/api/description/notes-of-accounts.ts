/** PURE. What the description says of operations on accounts and on the service, by `operationId`. */
import type { OperationNote } from './operation-note.ts';

export const notesOfAccounts: Record<string, OperationNote> = {
  getClaim: {
    tag: 'accounts',
    access: 'public',
    description: 'For the page on which a user confirms the claim.',
    refusals: ['claim_not_found', 'claim_expired', 'already_claimed'],
  },
  confirmClaim: {
    tag: 'accounts',
    access: 'sign-in',
    description:
      'The session token stays valid for all its holders, unless `endToken` is set. Deployments that it starts later are free and expire. A second claim by the same account changes nothing and returns the same response.',
    refusals: ['claim_not_found', 'claim_expired', 'claim_changed', 'already_claimed', 'plan_limit_reached', 'banned'],
  },
  getSignInMethods: {
    tag: 'accounts',
    access: 'public',
    description: 'Returns the available sign-in methods: passwords, passkeys, and the configured providers.',
  },
  getAccount: {
    tag: 'accounts',
    access: 'account',
    description: 'Returns the name, the plan, and the used part of the plan.',
  },
  getLimits: {
    tag: 'accounts',
    access: 'optional',
    description: 'Without a token: the limits of a first start from this address.',
  },
  listTokens: {
    tag: 'accounts',
    access: 'sign-in',
    description:
      'Returns, for each token, the deployments that it manages and when and from where it was created and last used. The service does not store the tokens.',
  },
  changeToken: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'Existing deployments do not change.',
    refusals: ['token_not_found'],
  },
  replaceToken: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'The previous token ends immediately, as with `DELETE /api/tokens/{id}`.',
    refusals: ['token_not_found'],
  },
  endToken: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'The service refuses further requests with the token and ends its open streams.',
    refusals: ['token_not_found'],
  },
  listImages: {
    tag: 'accounts',
    access: 'caller',
    description:
      'Returns the images of the session, or of the account with its sessions. A shared layer counts for each image.',
  },
  listKeys: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'Returns names and first characters. The service does not store the keys.',
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
    description: 'The service refuses further requests with the key.',
    refusals: ['api_key_not_found'],
  },
  getNotifications: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'Includes the result of the last webhook call. The secret is not returned again.',
  },
  setNotifications: {
    tag: 'accounts',
    access: 'sign-in',
    description:
      'Omitted fields keep their values. A new webhook address gets a new secret. Saving the same address again turns a disabled webhook back on.',
  },
  testNotifications: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'The service sends the test once, within a few seconds.',
    refusals: ['webhook_not_found'],
  },
  listSignIns: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'Returns the newest first. The service does not store the cookies.',
  },
  removeSignIn: {
    tag: 'accounts',
    access: 'sign-in',
    description:
      'The cookie of the browser is no longer valid. To sign out all others at once, use `POST /api/auth/revoke-other-sessions`.',
    refusals: ['sign_in_not_found'],
  },
  startLogin: {
    tag: 'accounts',
    access: 'public',
    description:
      'For a program that needs an API key (RFC 8628). Show `userCode` and `url` to a person, who confirms the request in a browser. Poll for the key until then.',
  },
  getLogin: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'Counts against the limit of sign-ins, so that codes cannot be guessed.',
    refusals: ['login_not_found'],
  },
  decideLogin: {
    tag: 'accounts',
    access: 'sign-in',
    description: 'The first decision is final. Counts against the limit of sign-ins.',
    refusals: ['login_not_found', 'plan_limit_reached'],
  },
  fetchKey: {
    tag: 'accounts',
    access: 'public',
    description:
      'Repeat the request every `intervalSeconds` until the person has decided. Only this response contains the key.',
    refusals: ['authorization_pending', 'slow_down', 'access_denied', 'expired_token', 'plan_limit_reached'],
  },
};
