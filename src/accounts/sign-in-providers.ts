/** Sign-in with an account of a provider: GitHub, and any OpenID Connect provider. */
export type ProviderSettings = {
  github?: { clientId: string; clientSecret: string };
  oidc?: { issuer: URL; clientId: string; clientSecret: string; name: string };
};

/** The provider's id in `/api/auth/callback/oidc`. */
export const oidcId = 'oidc';
const patienceMs = 3_000;

export function providersOf({ github, oidc }: ProviderSettings, isOidcThere: boolean): { id: string; name: string }[] {
  return [
    ...(github ? [{ id: 'github', name: 'GitHub' }] : []),
    ...(oidc && isOidcThere ? [{ id: oidcId, name: oidc.name }] : []),
  ];
}

export function githubProvider({ github }: ProviderSettings, disableSignUp: boolean) {
  return github && { github: { ...github, disableSignUp } };
}

/**
 * Returns whether the provider's metadata names the configured issuer. The library requests it only once, without a
 * timeout, and gives the provider up if it fails. So it is checked here first.
 */
export async function isOidcThere({ issuer }: NonNullable<ProviderSettings['oidc']>): Promise<boolean> {
  try {
    const answer = await fetch(discoveryUrl(issuer), { signal: AbortSignal.timeout(patienceMs) });
    const found = answer.ok ? ((await answer.json()) as { issuer?: unknown }) : {};
    return typeof found.issuer === 'string' && withoutSlash(found.issuer) === withoutSlash(issuer.href);
  } catch {
    return false;
  }
}

export function discoveryUrl(issuer: URL): string {
  return `${withoutSlash(issuer.href)}/.well-known/openid-configuration`;
}

function withoutSlash(address: string): string {
  return address.replace(/\/$/, '');
}

/** How people can sign in at an address. */

/** A passkey is bound to a name, so IP addresses cannot have one. */
export function canHavePasskeys({ hostname }: URL): boolean {
  return !/^[\d.]+$|^\[/.test(hostname);
}
