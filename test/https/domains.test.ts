/** A custom domain from its first record to its last: real DNS, a real authority, a real browser that trusts its root. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startChromium } from '../browser/chromium.ts';
import { until } from '../scenarios/berth.ts';
import { ask } from '../support/edge.ts';
import { recordsOf, startNameServer } from '../support/name-server.ts';
import { shownSerial } from '../support/tls.ts';
import { document, type HttpsService, startHttps } from './https-service.ts';

const day = 24 * 3_600_000;

type Shown = {
  state: string;
  reason?: string;
  url: string;
  records: { type: string; name: string; value: string }[];
};

/** What any of the calls answers. */
type Answered = { code: string; claimToken: string; domain: Shown; domains: Shown[] };

/** Somebody with an account and a claimed deployment. */
async function signUp(service: HttpsService, name: string) {
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
    /** Of its dashboard's page, and what signs a browser in there. */
    page: `${origin}/d/${environment}/hello`,
    cookie: { name: cookieName!, value: value.join('='), url: origin },
    change,
    list: async (): Promise<Shown[]> => (await send('/getDomains?applicationName=hello')).body.domains,
    add: async (domain: string, more: object = {}): Promise<Shown> => (await change('add', domain, more)).body.domain,
    /** Looked up until it is in this state. */
    reach: (domain: string, state: string): Promise<Shown> =>
      until(`${domain} is ${state}`, async () => {
        const { body } = await change('check', domain);
        return body.domain.state === state ? body.domain : undefined;
      }),
  };
}

/** `records` are what DNS says, from the next question on. */
async function world(t: TestContext, clock: { ahead: number } = { ahead: 0 }) {
  const records: Record<string, readonly string[]> = {};
  const names = await startNameServer((type, name) =>
    type === 'A' && name.endsWith('.apps.test')
      ? { answers: [{ type: 'A', name, data: '127.0.0.1', ttl: 1 }] }
      : recordsOf(records)(type, name),
  );
  t.after(() => names[Symbol.asyncDispose]());
  const settings = { BERTH_DNS_HOOK: 'pebble', BERTH_DOMAIN_RESOLVERS: names.address, BERTH_RATE: '10000/m' };
  const service = await startHttps(t, settings, { now: () => Date.now() + clock.ahead });
  return { records, service, ada: await signUp(service, 'ada') };
}

test('a domain is pending, verified, certified and live, is shown in a browser, and is gone when it is removed', async (t) => {
  const { records, service, ada } = await world(t);
  const name = 'example.test';
  const added = await ada.add(name);
  assert.equal(added.state, 'pending');
  assert.match(added.reason!, /TXT _berth\.example\.test not found: the resolver has none/);
  const [txt, a] = added.records;
  assert.deepEqual([txt?.type, txt?.name], ['TXT', `_berth.${name}`]);
  assert.deepEqual(a, { type: 'A', name, value: '127.0.0.1' });
  assert.equal((await ask(service.port, { host: name, path: '/x' })).status, 404, 'it is nobody’s yet');

  records[`TXT _berth.${name}`] = ['v=spf1 -all', 'berth=of-somebody-else'];
  const other = await until('another record is told', async () => {
    const [shown] = (await ada.change('check', name)).body.domain ? await ada.list() : [];
    return shown?.reason?.includes('of-somebody-else') ? shown : undefined;
  });
  assert.equal(other.state, 'pending');
  records[`TXT _berth.${name}`] = [txt!.value];
  const verified = await ada.reach(name, 'verified');
  assert.match(verified.reason!, /leads nowhere yet: it has to lead to 127\.0\.0\.1 \(A\)/);
  records[`A ${name}`] = ['198.51.100.9'];
  const behind = await until('it is found at a CDN', async () => {
    const { domain } = (await ada.change('check', name)).body;
    return domain.reason?.includes('198.51.100.9') ? domain : undefined;
  });
  assert.equal(behind.state, 'verified');
  assert.ok(
    behind.reason!.endsWith(`If that is a CDN, have it fetch from ${ada.host}, and show a certificate of its own.`),
  );
  const asked = await ask(service.port, { host: name, headers: { accept: 'text/html' } });
  assert.equal(asked.status, 503);
  assert.match(asked.body, /This name leads elsewhere/);
  assert.deepEqual(service.pebble.asked(), ['apps.test', 'berth.test'], 'nothing is ordered before it leads here');
  records[`A ${name}`] = ['127.0.0.1'];
  const live = await ada.reach(name, 'live');
  assert.equal(live.url, `https://${name}:${service.httpsPort}`);

  const www = await ada.add(`www.${name}`, { redirectTo: name });
  assert.deepEqual(www.records[1], { type: 'CNAME', name: `www.${name}`, value: ada.host });
  records[`TXT _berth.www.${name}`] = [www.records[0]!.value];
  records[`CNAME www.${name}`] = [ada.host];
  records[`A ${ada.host}`] = ['127.0.0.1'];
  await ada.reach(`www.${name}`, 'live');

  const args = ['--host-resolver-rules=MAP *.test 127.0.0.1'];
  const { browser, close } = await startChromium(service.httpsPort, args, await service.pebble.root());
  t.after(close);
  const page = await browser.newPage();
  const shown = await until('it is shown', async () => {
    const answer = await page.goto(`https://www.${name}:${service.httpsPort}/a?b=c`).catch(() => undefined);
    return answer?.status() === 200 ? answer : undefined;
  });
  assert.equal(page.url(), `https://${name}:${service.httpsPort}/a?b=c`);
  assert.match((await shown.securityDetails())!.issuer ?? '', /^Pebble Intermediate/);
  assert.match(await page.locator('body').innerText(), /^GET \/a/);

  await page.context().addCookies([ada.cookie]);
  await page.goto(ada.page);
  const panel = page.getByRole('region', { name: 'Custom domains' });
  await panel.getByText('to example.test').waitFor();
  assert.equal(await panel.locator('.state.ready').count(), 2);

  assert.equal((await ada.change('remove', name)).status, 200);
  await until('its certificate is shown to nobody', async () =>
    shownSerial(service.httpsPort, name).then(
      () => undefined,
      () => true,
    ),
  );
  assert.deepEqual(
    (await ada.list()).map(({ state }) => state),
    ['live'],
  );
});

test('nobody gets a name that another account has, and nothing is ordered because somebody asks', async (t) => {
  const clock = { ahead: 0 };
  const { records, service, ada } = await world(t, clock);
  const name = 'shop.example.test';
  const bob = await signUp(service, 'bob');
  const own = await ada.add(name);
  const tried = await bob.add(name);
  assert.notEqual(own.records[0]!.value, tried.records[0]!.value);
  records[`TXT _berth.${name}`] = [own.records[0]!.value];
  records[`A ${name}`] = ['127.0.0.1'];
  await ada.reach(name, 'live');
  // Bob's record beside hers: whoever was first has it.
  records[`TXT _berth.${name}`] = [own.records[0]!.value, tried.records[0]!.value];
  const refused = await until('it is told', async () => {
    const { body } = await bob.change('check', name);
    return /another account/.test(body.domain.reason ?? '') ? body.domain : undefined;
  });
  assert.equal(refused.state, 'pending');
  for (const [domain, code] of [
    ['berth.test', 'invalid_domain'],
    [`x.${ada.host}`, 'invalid_domain'],
    [ada.host, 'invalid_domain'],
    ['*.example.test', 'invalid_domain'],
    ['co.uk', 'invalid_domain'],
  ] as const)
    assert.equal((await bob.change('add', domain)).body.code, code, domain);

  const near = ['example.test', `x.${name}`, `${name}.evil.test`, 'sh0p.example.test', 'www.shop.example.test'];
  for (const host of near) {
    const shown = await Promise.allSettled(Array.from({ length: 30 }, () => shownSerial(service.httpsPort, host)));
    assert.ok(
      shown.every(({ status }) => status === 'rejected'),
      `${host} is shown no certificate`,
    );
  }
  const token = '0123456789abcdefghijklmnopqrstuv';
  for (const host of [name, ...near, bob.host]) {
    const path = `/.well-known/acme-challenge/${token}`;
    assert.notEqual((await ask(service.port, { host, path })).status, 200, host);
  }
  assert.deepEqual(service.pebble.asked(), ['apps.test', 'berth.test', name]);

  // Her record is taken out, and her alias stays: three days later she has lost it, and bob may not have it yet.
  records[`TXT _berth.${name}`] = [tried.records[0]!.value];
  clock.ahead += day;
  const failing = await ada.reach(name, 'failing');
  assert.match(failing.reason!, /serves on until/);
  clock.ahead += 4 * day;
  await until('it is released', async () => {
    const [shown] = await ada.list();
    return shown?.state === 'released' || undefined;
  });
  await until('it leads nowhere', async () => (await ask(service.port, { host: name })).status !== 200 || undefined);
  assert.equal((await bob.change('add', name)).body.code, 'domain_taken');
  clock.ahead += 8 * day;
  await bob.add(name);
  await bob.reach(name, 'live');
});
