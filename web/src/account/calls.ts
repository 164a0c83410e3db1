/** The calls of signing in and of the account. */

import type {
  ApiKey,
  Claim,
  Claimed,
  Login,
  Notifications,
  NotificationsChoice,
  SessionToken,
  SignIn,
} from '../service/records.ts';
import { type Answer, allAnswered, call, request } from '../service/request.ts';

type SignedIn = { redirect?: boolean; url?: string };

export type NewAccount = { name: string; email: string; password: string };

/** The page that links in mails lead back to. */
const verifiedPath = '/verify-email';
const resetPath = '/reset-password';

export function signIn(email: string, password: string): Promise<Answer<SignedIn>> {
  return request('/api/auth/sign-in/email', { json: { email, password, callbackURL: verifiedPath } });
}

/** `token` is null where the address has to be verified first. */
export function signUp(account: NewAccount): Promise<Answer<{ token: string | null }>> {
  return request('/api/auth/sign-up/email', { json: { ...account, callbackURL: verifiedPath } });
}

/** The service would refuse the page's pending requests after the sign-out. */
export async function signOut(): Promise<Answer<unknown>> {
  await allAnswered();
  return await request('/api/auth/sign-out', { json: {} });
}

/** @returns where to go to sign in there. */
export function signInWith(provider: string, callbackURL: string): Promise<Answer<SignedIn>> {
  return request('/api/auth/sign-in/social', { json: { provider, callbackURL, errorCallbackURL: '/sign-in' } });
}

export function changeName(name: string): Promise<Answer<unknown>> {
  return request('/api/auth/update-user', { json: { name } });
}

/** With mails, the address changes when the link in the mail is opened. `password`: empty if the account has none. */
export function changeEmail(newEmail: string, password: string): Promise<Answer<unknown>> {
  return request('/api/auth/change-email', { json: { newEmail, ...(password !== '' && { password }) } });
}

/** Signs out all other browsers. */
export function changePassword(currentPassword: string, newPassword: string): Promise<Answer<unknown>> {
  return request('/api/auth/change-password', { json: { currentPassword, newPassword, revokeOtherSessions: true } });
}

export function notifications(): Promise<Answer<Notifications>> {
  return call('getNotifications');
}

/** `secret`: of a new webhook, shown only once. Omitted fields do not change. */
export function setNotifications(choice: NotificationsChoice): Promise<Answer<Notifications & { secret?: string }>> {
  return call('setNotifications', { body: choice });
}

export function testNotifications(): Promise<Answer<unknown>> {
  return call('testNotifications');
}

export function listSignIns(): Promise<Answer<{ signIns: SignIn[] }>> {
  return call('listSignIns');
}

export function removeSignIn(id: string): Promise<Answer<unknown>> {
  return call('removeSignIn', { path: { id } });
}

export function signOutElsewhere(): Promise<Answer<unknown>> {
  return request('/api/auth/revoke-other-sessions', { json: {} });
}

/** `password`: empty where the account has none. */
export function deleteAccount(password: string): Promise<Answer<unknown>> {
  return request('/api/auth/delete-user', { json: password === '' ? {} : { password } });
}

export function requestPasswordReset(email: string): Promise<Answer<unknown>> {
  return request('/api/auth/request-password-reset', { json: { email, redirectTo: resetPath } });
}

export function resetPassword(token: string, newPassword: string): Promise<Answer<unknown>> {
  return request('/api/auth/reset-password', { json: { token, newPassword } });
}

export function requestVerification(email: string): Promise<Answer<unknown>> {
  return request('/api/auth/send-verification-email', { json: { email, callbackURL: verifiedPath } });
}

/** Returns whether the token of a mail's link verifies an address. */
export function verifyEmail(token: string): Promise<Answer<unknown>> {
  return request('/api/auth/verify-email', { query: { token } });
}

export function claimOf(token: string): Promise<Answer<Claim>> {
  return call('getClaim', { path: { token } });
}

/** `urls`: the deployments that the page showed. Deployments that were started later are not claimed unseen. */
export function confirmClaim(token: string, given: { urls: string[]; endToken: boolean }): Promise<Answer<Claimed>> {
  return call('confirmClaim', { path: { token }, body: given });
}

export function listTokens(): Promise<Answer<{ tokens: SessionToken[] }>> {
  return call('listTokens');
}

export function changeToken(id: string, starts: SessionToken['starts']): Promise<Answer<unknown>> {
  return call('changeToken', { path: { id }, body: { starts } });
}

export function replaceToken(id: string): Promise<Answer<{ sessionToken: string }>> {
  return call('replaceToken', { path: { id } });
}

export function endToken(id: string): Promise<Answer<unknown>> {
  return call('endToken', { path: { id } });
}

export function listKeys(): Promise<Answer<{ keys: ApiKey[] }>> {
  return call('listKeys');
}

export function addKey(name: string): Promise<Answer<{ id: string; key: string }>> {
  return call('addKey', { body: { name } });
}

export function removeKey(id: string): Promise<Answer<unknown>> {
  return call('removeKey', { path: { id } });
}

export function loginOf(code: string): Promise<Answer<Login>> {
  return call('getLogin', { path: { code } });
}

export function decideLogin(code: string, decision: 'approved' | 'denied'): Promise<Answer<unknown>> {
  return call('decideLogin', { path: { code }, body: { decision } });
}
