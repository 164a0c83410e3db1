/** Signing in with somebody else's account: GitHub, and any OpenID Connect provider. */
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
 * Whether the provider describes itself as the issuer that the settings name. The library asks it once, when it is set
 * up, without a limit of time, and does without the provider for good if it gets no answer: so it is asked here first.
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
