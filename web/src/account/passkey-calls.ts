/** Passkeys: the browser's part by a library, the service's by its answers. */
import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import { type Answer, type Problem, request } from '../service/request.ts';

export type Passkey = { id: string; name?: string | null; createdAt: string };

/** Browsers do not support passkeys over plain HTTP, except on localhost. */
export const canUsePasskeys = browserSupportsWebAuthn;

export async function signInWithPasskey(): Promise<Answer<unknown>> {
  const options = await request<PublicKeyCredentialRequestOptionsJSON>(
    '/api/auth/passkey/generate-authenticate-options',
  );
  if (!options.ok) return options;
  try {
    const { clientExtensionResults: _, ...response } = await startAuthentication({ optionsJSON: options.value });
    return await request('/api/auth/passkey/verify-authentication', { json: { response } });
  } catch (error) {
    return { ok: false, problem: problemOf(error) };
  }
}

export async function addPasskey(name: string): Promise<Answer<unknown>> {
  const query = { name };
  const options = await request<PublicKeyCredentialCreationOptionsJSON>('/api/auth/passkey/generate-register-options', {
    query,
  });
  if (!options.ok) return options;
  try {
    const { clientExtensionResults: _, ...response } = await startRegistration({ optionsJSON: options.value });
    return await request('/api/auth/passkey/verify-registration', { json: { response, name } });
  } catch (error) {
    return { ok: false, problem: problemOf(error) };
  }
}

export function listPasskeys(): Promise<Answer<Passkey[]>> {
  return request('/api/auth/passkey/list-user-passkeys');
}

export function removePasskey(id: string): Promise<Answer<unknown>> {
  return request('/api/auth/passkey/delete-passkey', { json: { id } });
}

/** Browsers throw the same error for a refusal and for a timeout. */
function problemOf(error: unknown): Problem {
  const isTwice = error instanceof Error && error.name === 'InvalidStateError';
  return {
    status: 0,
    code: 'passkey_cancelled',
    error: isTwice ? 'This device already has a passkey for your account.' : 'No passkey was used.',
    ...(!isTwice && { hint: 'Try again, or use your password.' }),
  };
}
