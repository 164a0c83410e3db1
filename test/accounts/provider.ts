/** A real OpenID Connect provider of the test's own, and a person who goes there with a browser. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Provider } from 'oidc-provider';

export const client = { clientId: 'berth', clientSecret: 'the secret of the client' };

/** A user who logs in as `name` has the address `name@example.com`, verified unless the name begins with `unproven`. */
export async function startProvider(callback: string) {
  let handle: ReturnType<Provider['callback']> | undefined;
  const server: Server = createServer((request, response) => void handle!(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: client.clientId, client_secret: client.clientSecret, redirect_uris: [callback] }],
    claims: { email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['a key of the cookies'] },
    async findAccount(_, id) {
      const claims = { sub: id, email: `${id}@example.com`, email_verified: !id.startsWith('unproven'), name: id };
      return { accountId: id, claims: async () => claims };
    },
  });
  handle = provider.callback();
  return {
    issuer: new URL(issuer),
    /** Follows an authorization address, logs in and consents; returns the address that the provider sends back to. */
    async logIn(address: string, name: string): Promise<URL> {
      const cookies = new Map<string, string>();
      let next = address;
      for (let step = 0; step < 10; step++) {
        const isForm = /\/interaction\/[^/]+$/.test(next);
        const page = await visit(next, cookies);
        if (page.location) next = new URL(page.location, next).href;
        else if (isForm) {
          const prompt = /name="prompt" value="(\w+)"/.exec(page.text)![1]!;
          const form = new URLSearchParams({ prompt, login: name, password: 'any' });
          next = new URL((await visit(next, cookies, form)).location!, next).href;
        } else throw new Error(`the provider says at ${next}: ${page.text}`);
        if (!next.startsWith(issuer)) return new URL(next);
      }
      throw new Error('the provider sends round in circles');
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function visit(address: string, cookies: Map<string, string>, form?: URLSearchParams) {
  const answer = await fetch(address, {
    redirect: 'manual',
    headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    ...(form && { method: 'POST', body: form }),
  });
  for (const line of answer.headers.getSetCookie()) {
    const [name, value] = line.split(';')[0]!.split('=') as [string, string];
    cookies.set(name, value);
  }
  return { location: answer.headers.get('location'), text: await answer.text() };
}
