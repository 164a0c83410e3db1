/** Options of the sign-in library for any OpenID Connect provider. */
import { type GenericOAuthConfig, genericOAuth } from 'better-auth/plugins/generic-oauth';
import { discoveryUrl, oidcId, type ProviderSettings } from './sign-in-providers.ts';

export function oidcPlugin({ issuer, ...settings }: NonNullable<ProviderSettings['oidc']>, disableSignUp: boolean) {
  const config: GenericOAuthConfig = {
    ...settings,
    providerId: oidcId,
    discoveryUrl: discoveryUrl(issuer),
    requireIdTokenVerification: true,
    scopes: ['openid', 'email', 'profile'],
    disableSignUp,
  };
  return genericOAuth({ config: [config] });
}
