/** The settings of signing in: who may, and by which means. */
import type { Rate } from '../lib/rate-limit.ts';
import { otherOrigins } from './own-hosts.ts';
import { email, issuer, mailServer, oneOf, rate, type Setting, text } from './setting-values.ts';

export type SignInSettings = {
  signUp: 'open' | 'closed';
  signInRate: Rate;
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
    help: 'whether anybody may make an account; closed: only those who have one sign in',
    read: oneOf('open', 'closed'),
  },
  signInRate: {
    variable: 'SIGN_IN_RATE',
    default: '10/m',
    help: 'sign-ins and sign-ups per client address',
    read: rate,
  },
  githubClientId: { variable: 'GITHUB_CLIENT_ID', default: '', help: 'sign-in with GitHub: its OAuth app', read: text },
  githubClientSecret: { variable: 'GITHUB_CLIENT_SECRET', default: '', help: 'and the secret of that app', read: text },
  oidcIssuer: {
    variable: 'OIDC_ISSUER',
    default: '',
    help: 'sign-in with an OpenID Connect provider: its issuer',
    read: issuer,
  },
  oidcClientId: { variable: 'OIDC_CLIENT_ID', default: '', help: 'what it calls this service', read: text },
  oidcClientSecret: { variable: 'OIDC_CLIENT_SECRET', default: '', help: 'and the secret it has for it', read: text },
  oidcName: { variable: 'OIDC_NAME', default: 'Single sign-on', help: 'what people call that provider', read: text },
  smtpUrl: {
    variable: 'SMTP_URL',
    default: '',
    help: 'mail server, smtp://user:password@host:587; without one, addresses are not verified, passwords not reset',
    read: mailServer,
  },
  mailFrom: { variable: 'MAIL_FROM', default: '', help: 'sender of mails, Berth <berth@example.com>', read: text },
  operatorMail: {
    variable: 'OPERATOR_MAIL',
    default: '',
    help: 'whom certificates that fail or are about to end are told to by mail; default: BERTH_ACME_EMAIL',
    read: email,
  },
} satisfies { [K in keyof SignInSettings]: Setting<SignInSettings[K]> };

/** Each of these is of no use without the others. */
export const signInGroups: (keyof SignInSettings)[][] = [
  ['githubClientId', 'githubClientSecret'],
  ['oidcIssuer', 'oidcClientId', 'oidcClientSecret'],
  ['smtpUrl', 'mailFrom'],
];

/** What the accounts' layer is told; settings that belong together come together. */
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
