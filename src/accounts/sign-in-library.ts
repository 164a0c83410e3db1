/**
 * Accounts: sign-in by a library (better-auth) over our store. Its types end in this folder; the API sees a request go
 * in and a response come out, and which account a cookie is signed in to.
 */
import { passkey } from '@better-auth/passkey';
import { betterAuth } from 'better-auth';
import { rememberingTokens } from './hashed-tokens.ts';
import { authOptions, signInSecret, type Wiring } from './library-options.ts';
import { createMailer } from './mailer.ts';
import { isOidcThere, oidcPlugin, providersOf } from './sign-in-providers.ts';

export type { AccountSettings } from './library-options.ts';

/** A provider that did not answer is asked again after this. */
const askAgainMs = 30_000;

export function createAccounts(wiring: Wiring) {
  const { seal, settings, log } = wiring;
  const { oidc, mail } = settings;
  const mailer = mail && createMailer(mail, log);
  let hasOidc = false;
  let secret = signInSecret(seal);
  let library = createLibrary(wiring, mailer, hasOidc);
  let askedAt = Number.NEGATIVE_INFINITY;

  /** With the secret of the moment. */
  function present() {
    if (signInSecret(seal) !== secret) renew();
    return library;
  }

  function renew() {
    secret = signInSecret(seal);
    library = createLibrary(wiring, mailer, hasOidc);
  }

  /** With the OpenID provider, as soon as it has answered once. */
  async function current() {
    if (!oidc || hasOidc || performance.now() - askedAt < askAgainMs) return present();
    askedAt = performance.now();
    if (await isOidcThere(oidc)) {
      hasOidc = true;
      renew();
    } else log.warn({ issuer: oidc.issuer.href }, 'the OpenID provider does not answer as this issuer');
    return present();
  }

  return {
    /** How people can sign in here. */
    async methods() {
      await current();
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
      const library = await current();
      return await rememberingTokens(() => library.handler(request));
    },

    /** The id of the account that the cookie of these headers is signed in to. */
    async signedIn(headers: Headers): Promise<string | undefined> {
      if (!headers.has('cookie')) return undefined;
      const signIn = await rememberingTokens(() => present().api.getSession({ headers }));
      return signIn?.user.id;
    },
  };
}

/** The library as it is told to be: by itself it answers nothing. */
export function createLibrary(wiring: Wiring, mailer: ReturnType<typeof createMailer> | undefined, hasOidc: boolean) {
  const { baseUrl, oidc, signUp } = wiring.settings;
  const passkeys = passkey({
    rpName: 'Berth',
    rpID: baseUrl.hostname,
    origin: baseUrl.origin,
    schema: { passkey: { modelName: 'passkeys' } },
  });
  return betterAuth({
    ...authOptions(wiring, mailer),
    plugins: [
      ...(canHavePasskeys(baseUrl) ? [passkeys] : []),
      ...(oidc && hasOidc ? [oidcPlugin(oidc, signUp === 'closed')] : []),
    ],
  });
}

/** A passkey is bound to a name: there is none for an address of numbers. */
function canHavePasskeys({ hostname }: URL): boolean {
  return !/^[\d.]+$|^\[/.test(hostname);
}
