/** The configured sign-in library (better-auth). Loading it takes longer than starting the rest of the accounts. */
import { passkey } from '@better-auth/passkey';
import { betterAuth } from 'better-auth';
import { type GenericOAuthConfig, genericOAuth } from 'better-auth/plugins/generic-oauth';
import { authOptions } from './library-options.ts';
import { createMailer } from './mailer.ts';
import type { Wiring } from './open.ts';
import { canHavePasskeys, discoveryUrl, oidcId, type ProviderSettings } from './sign-in-providers.ts';

export type Library = ReturnType<LibraryMaker>;
type LibraryMaker = ReturnType<typeof libraryMaker>;

/**
 * Creates it for each sign-in secret, and once more when the OpenID provider is available. It does not handle requests
 * by itself.
 */
export function libraryMaker(wiring: Wiring) {
  const { baseUrl, oidc, signUp, mail } = wiring.settings;
  const mailer = mail && createMailer(mail, wiring.log);
  const passkeys = passkey({
    rpName: 'Berth',
    rpID: baseUrl.hostname,
    origin: baseUrl.origin,
    schema: { passkey: { modelName: 'passkeys' } },
  });
  return (hasOidc: boolean) =>
    betterAuth({
      ...authOptions(wiring, mailer),
      plugins: [
        ...(canHavePasskeys(baseUrl) ? [passkeys] : []),
        ...(oidc && hasOidc ? [oidcPlugin(oidc, signUp === 'closed')] : []),
      ],
    });
}

/** Options of the sign-in library for any OpenID Connect provider. */
function oidcPlugin({ issuer, ...settings }: NonNullable<ProviderSettings['oidc']>, disableSignUp: boolean) {
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
