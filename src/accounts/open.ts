/**
 * The door of this layer: sign-in by a library (better-auth) over our store. Its types end in this folder; the API sees a
 * request go in and a response come out, and which account a cookie is signed in to.
 */
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Instant } from '../deployment/deployment.ts';
import type { MailSettings } from '../lib/mail-transport.ts';
import type { Seal } from '../lib/seal.ts';
import type { Tables } from '../store/rows.ts';
import { cachingTokens } from './hashed-tokens.ts';
import type { Library } from './sign-in-library.ts';
import { canHavePasskeys, isOidcThere, type ProviderSettings, providersOf } from './sign-in-providers.ts';
import { signInSecret } from './sign-in-secret.ts';

export type AccountSettings = {
  baseUrl: URL;
  /** Origins at which the dashboard is served too, such as http://127.0.0.1:8080. */
  otherOrigins: string[];
  signUp: 'open' | 'closed';
  mail?: MailSettings;
} & ProviderSettings;

export type Wiring = {
  db: Kysely<Tables>;
  seal: Seal;
  log: Logger;
  now: () => Instant;
  settings: AccountSettings;
};

/** The pause before a provider that did not answer is queried again. */
const askAgainMs = 30_000;

export function openAccounts(wiring: Wiring) {
  const { seal, settings, log } = wiring;
  const { oidc, mail } = settings;
  let hasOidc = false;
  let askedAt = Number.NEGATIVE_INFINITY;
  let maker: Promise<(hasOidc: boolean) => Library> | undefined;
  let made: { library: Library; secret: string; hasOidc: boolean } | undefined;

  /**
   * Returns the library with the current secret. It is loaded at the first sign-in or cookie, because loading would
   * extend the start of the service by a tenth (measured).
   */
  async function present(): Promise<Library> {
    maker ??= import('./sign-in-library.ts').then(({ libraryMaker }) => libraryMaker(wiring));
    const make = await maker;
    const secret = signInSecret(seal);
    if (made?.secret !== secret || made.hasOidc !== hasOidc) made = { library: make(hasOidc), secret, hasOidc };
    return made.library;
  }

  /** Returns whether the OpenID provider has answered once. */
  async function lookForOidc(): Promise<void> {
    if (!oidc || hasOidc || performance.now() - askedAt < askAgainMs) return;
    askedAt = performance.now();
    if (await isOidcThere(oidc)) hasOidc = true;
    else log.warn({ issuer: oidc.issuer.href }, 'the OpenID provider does not respond as this issuer');
  }

  return {
    /** How people can sign in here. */
    async methods() {
      await lookForOidc();
      return {
        password: true,
        passkeys: canHavePasskeys(settings.baseUrl),
        providers: providersOf(settings, hasOidc),
        sendsMail: mail !== undefined,
        signUp: settings.signUp === 'open',
      };
    },

    /** Answers a request to a path below `/api/auth`. */
    async answer(request: Request): Promise<Response> {
      await lookForOidc();
      const library = await present();
      return await cachingTokens(() => library.handler(request));
    },

    /** The account that the cookie of these headers is signed in to, and by which sign-in. */
    async signedIn(headers: Headers): Promise<{ accountId: string; signInId: string } | undefined> {
      if (!headers.has('cookie')) return undefined;
      const library = await present();
      const signIn = await cachingTokens(() => library.api.getSession({ headers }));
      return signIn ? { accountId: signIn.user.id, signInId: signIn.session.id } : undefined;
    },
  };
}
