/** For tests of custom domains: an account that has an application, and the DNS in which its names are. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { until } from '../scenarios/berth.ts';
import { recordsOf, startNameServer } from '../support/name-server.ts';
import { type HttpsService, document as oneApplication, startHttps } from './https-service.ts';

export type ShownDomain = {
  domain: string;
  state: string;
  reason?: string;
  url: string;
  records: { type: string; name: string; value: string }[];
};

/** The fields of the calls' answers. */
type Answered = { code: string; claimToken: string; domain: ShownDomain; domains: ShownDomain[] };

/** A user with an account and a claimed deployment of this document, whose application is called hello. */
export async function signUp(service: HttpsService, name: string, document = oneApplication) {
  const own = `http://127.0.0.1:${service.port}`;
  const origin = `https://berth.test:${service.httpsPort}`;
  let cookie = '';
  const send = async (path: string, body?: object) => {
    const answer = await fetch(`${own}${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { origin, cookie, 'content-type': 'application/json' },
    });
    const set = answer.headers.getSetCookie().map((line) => line.split(';')[0]!);
    if (set.length > 0) cookie = set.join('; ');
    return { status: answer.status, body: (await answer.json()) as Answered };
  };
  const person = { name, email: `${name}@example.com`, password: 'correct horse battery' };
  const signedUp = await send('/api/auth/sign-up/email', person);
  assert.equal(signedUp.status, 200, JSON.stringify(signedUp.body));
  const started = await fetch(`${own}/startUserDeployment`, { method: 'POST', body: document });
  const { sessionToken, url, environment } = (await started.json()) as Record<string, string>;
  const token = { applicationName: 'hello', sessionToken };
  const unclaimed = await send('/addDomain', { ...token, domain: 'shop.example.test' });
  assert.equal(unclaimed.body.code, 'domain_needs_claim');
  const { body: claim } = await send('/claimDeployment', token);
  assert.equal((await send(`/claim/${claim.claimToken}`, {})).status, 200);
  const application = { applicationName: 'hello' };
  const change = async (verb: string, domain: string, more: object = {}) =>
    await send(`/${verb}Domain`, { ...application, domain, ...more });
  const [cookieName, ...value] = cookie.split('; ')[0]!.split('=');
  return {
    host: new URL(url!).hostname,
    /** The deployment's page in the dashboard, and the cookie that signs a browser in there. */
    page: `${origin}/d/${environment}/hello`,
    cookie: { name: cookieName!, value: value.join('='), url: origin },
    change,
    list: async (): Promise<ShownDomain[]> => (await send('/getDomains?applicationName=hello')).body.domains,
    add: async (domain: string, more: object = {}): Promise<ShownDomain> =>
      (await change('add', domain, more)).body.domain,
    /** Looked up until it is in this state. */
    reach: (domain: string, state: string): Promise<ShownDomain> =>
      until(`${domain} is ${state}`, async () => {
        const { body } = await change('check', domain);
        return body.domain.state === state ? body.domain : undefined;
      }),
  };
}

/** A service with custom domains, and a user who has one; `records` are the DNS records, from the next query on. */
export async function domainWorld(
  t: TestContext,
  { clock = { ahead: 0 }, document }: { clock?: { ahead: number }; document?: string } = {},
) {
  const records: Record<string, readonly string[]> = {};
  const names = await startNameServer((type, name) =>
    type === 'A' && name.endsWith('.apps.test')
      ? { answers: [{ type: 'A', name, data: '127.0.0.1', ttl: 1 }] }
      : recordsOf(records)(type, name),
  );
  t.after(() => names[Symbol.asyncDispose]());
  const settings = {
    BERTH_ACME_DNS: 'pebble',
    BERTH_DOMAIN_RESOLVERS: names.address,
    BERTH_CLIENT_LIMITS: 'starts=100/m requests=10000/m',
  };
  const service = await startHttps(t, settings, { now: () => Date.now() + clock.ahead });
  return { records, service, ada: await signUp(service, 'ada', document) };
}
