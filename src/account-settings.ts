import type { Settings } from './settings.ts';

/** What the accounts' layer is told; settings that belong together come together. */
export function accountSettings(settings: Settings) {
  const { baseUrl, signUp, smtpUrl, mailFrom } = settings;
  const { githubClientId, githubClientSecret, oidcIssuer, oidcClientId, oidcClientSecret, oidcName } = settings;
  return {
    ...{ baseUrl, signUp },
    ...(smtpUrl && mailFrom && { mail: { smtpUrl, mailFrom } }),
    ...(githubClientId &&
      githubClientSecret && { github: { clientId: githubClientId, clientSecret: githubClientSecret } }),
    ...(oidcIssuer &&
      oidcClientId &&
      oidcClientSecret && {
        oidc: { issuer: oidcIssuer, clientId: oidcClientId, clientSecret: oidcClientSecret, name: oidcName },
      }),
  };
}
