/** Settings of sign-in: who may sign up, and the available methods. */
import { otherOrigins } from './own-hosts.ts';
import { email, issuer, mailServer, oneOf, type Table, text } from './setting-values.ts';

export type SignInSettings = {
  signUp: 'open' | 'closed';
  githubClientId: string | undefined;
  githubClientSecret: string | undefined;
  oidcIssuer: URL | undefined;
  oidcClientId: string | undefined;
  oidcClientSecret: string | undefined;
  oidcName: string;
  smtpUrl: URL | undefined;
  mailFrom: string | undefined;
  operatorMail: string | undefined;
};

export const signInTable = {
  signUp: {
    variable: 'SIGN_UP',
    default: 'open',
    help: 'open: every visitor may create an account; closed: only existing accounts can sign in',
    read: oneOf('open', 'closed'),
  },
  githubClientId: {
    variable: 'GITHUB_CLIENT_ID',
    default: '',
    help: 'sign-in with GitHub: client ID of the OAuth app',
    read: text,
  },
  githubClientSecret: {
    variable: 'GITHUB_CLIENT_SECRET',
    default: '',
    help: 'client secret of the OAuth app',
    read: text,
  },
  oidcIssuer: {
    variable: 'OIDC_ISSUER',
    default: '',
    help: 'sign-in with an OpenID Connect provider: issuer URL',
    read: issuer,
  },
  oidcClientId: { variable: 'OIDC_CLIENT_ID', default: '', help: 'OAuth client ID', read: text },
  oidcClientSecret: { variable: 'OIDC_CLIENT_SECRET', default: '', help: 'OAuth client secret', read: text },
  oidcName: {
    variable: 'OIDC_NAME',
    default: 'Single sign-on',
    help: 'name of the provider in the dashboard',
    read: text,
  },
  smtpUrl: {
    variable: 'SMTP_URL',
    default: '',
    help: 'mail server, smtp://user:password@host:587; without it, addresses are not verified and passwords cannot be reset',
    read: mailServer,
  },
  mailFrom: {
    variable: 'MAIL_FROM',
    default: '',
    help: 'sender of mail, such as Berth <berth@example.com>',
    read: text,
  },
  operatorMail: {
    variable: 'OPERATOR_MAIL',
    default: '',
    help: 'contact address of the ACME account, and recipient of mail about certificates that fail or are about to expire',
    read: email,
  },
} satisfies Table<SignInSettings>;

/** Settings that require each other. */
export const signInGroups: (keyof SignInSettings)[][] = [
  ['githubClientId', 'githubClientSecret'],
  ['oidcIssuer', 'oidcClientId', 'oidcClientSecret'],
  ['smtpUrl', 'mailFrom'],
];

/** The settings of the accounts module, grouped by sign-in method. */
export function accountSettings(settings: SignInSettings & { baseUrl: URL; host: string }) {
  const { baseUrl, signUp, smtpUrl, mailFrom } = settings;
  const { githubClientId, githubClientSecret, oidcIssuer, oidcClientId, oidcClientSecret, oidcName } = settings;
  return {
    baseUrl,
    otherOrigins: otherOrigins(settings),
    signUp,
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
