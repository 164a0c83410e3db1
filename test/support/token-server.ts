/** A token server as registries send their clients to (distribution specification, "token authentication"). */
import { randomUUID, sign, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeCertificate } from './certificate.ts';

export const tokenIssuer = 'a test';
export const tokenService = 'registry of a test';

/** A scope as clients write it: `repository:team/app:pull,push`. */
const scopeGrammar = /^repository:([^:]+):([a-z,]+)$/;

export type TokenServer = AsyncDisposable & {
  /** Where clients get tokens. */
  realm: string;
  /** `host:port` */
  host: string;
  /** The certificate that a registry needs to trust its tokens. */
  certificate: string;
  /** A token for any scope. */
  grant(scope: string): string;
  /** The requested scopes, each with the name of the login. */
  asked: { scope: string; username: string | undefined }[];
};

/**
 * Clients with the login get the requested token, clients without one may pull from `public/`, and a wrong login is
 * refused. Dispose of it when done.
 */
export async function startTokenServer(login: { username: string; password: string }): Promise<TokenServer> {
  const { key, cert } = await makeCertificate('DNS:token.example');
  const x5c = [new X509Certificate(cert).raw.toString('base64')];
  const requested: TokenServer['asked'] = [];

  function tokenFor(access: { type: 'repository'; name: string; actions: string[] }[]): string {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: tokenIssuer,
      sub: '',
      aud: tokenService,
      jti: randomUUID(),
      access,
      // The clock of a virtual machine may be set back.
      iat: now,
      nbf: now - 600,
      exp: now + 600,
    };
    const signed = [{ typ: 'JWT', alg: 'ES256', x5c }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${signature.toString('base64url')}`;
  }

  function grant(scope: string, isAllowed: (name: string, action: string) => boolean = () => true): string {
    const [, name = '', actions = ''] = scopeGrammar.exec(scope) ?? [];
    const allowed = actions.split(',').filter((action) => isAllowed(name, action));
    return tokenFor(allowed.length > 0 ? [{ type: 'repository', name, actions: allowed }] : []);
  }

  const server = createServer((request, response) => {
    const query = new URL(request.url!, 'http://token.example').searchParams;
    const shown = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const [username, password] = shown ? Buffer.from(shown, 'base64').toString().split(':') : [];
    const scope = query.get('scope') ?? '';
    requested.push({ scope, username });
    const isKnown = username === login.username && password === login.password;
    if (query.get('service') !== tokenService || (shown && !isKnown)) return void response.writeHead(401).end();
    const token = grant(scope, (name, action) => isKnown || (name.startsWith('public/') && action === 'pull'));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ token, expires_in: 600 }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    realm: `http://${host}/token`,
    certificate: cert,
    asked: requested,
    grant: (scope) => grant(scope),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
