/** A custom domain from its first record to its last: real DNS, a real authority, a real browser that trusts its root. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startChromium } from '../browser/chromium.ts';
import { until } from '../scenarios/berth.ts';
import { ask } from '../support/edge.ts';
import { shownSerial } from '../support/tls.ts';
import { signUp, domainWorld as world } from './domain-owner.ts';

const day = 24 * 3_600_000;

test('a domain is pending, verified, certified and live, is shown in a browser, and is gone when it is removed', async (t) => {
  const { records, service, ada } = await world(t);
  const name = 'example.test';
  const added = await ada.add(name);
  assert.equal(added.state, 'pending');
  assert.match(added.reason!, /TXT _berth\.example\.test not found: the resolver has none/);
  const [txt, a] = added.records;
  assert.deepEqual([txt?.type, txt?.name], ['TXT', `_berth.${name}`]);
  assert.deepEqual(a, { type: 'A', name, value: '127.0.0.1' });
  assert.equal((await ask(service.port, { host: name, path: '/x' })).status, 404, 'it has no owner yet');

  records[`TXT _berth.${name}`] = ['v=spf1 -all', 'berth=of-somebody-else'];
  const other = await until('another record is reported', async () => {
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
  const requested = await ask(service.port, { host: name, headers: { accept: 'text/html' } });
  assert.equal(requested.status, 503);
  assert.match(requested.body, /This name points to another server/);
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
  await until('its certificate is not served', async () =>
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

test('a name that the authority does not find here is certifying, with its words, and live once it does', async (t) => {
  const clock = { ahead: 0 };
  const { records, service, ada } = await world(t, { clock });
  const name = 'example.test';
  // No server listens there: as in the hours in which an old record is still cached.
  await service.pebble.find(name, '127.0.0.2');
  const [txt] = (await ada.add(name)).records;
  records[`TXT _berth.${name}`] = [txt!.value];
  records[`A ${name}`] = ['127.0.0.1'];
  const certifying = await until('the answer of the authority is reported', async () => {
    const { domain } = (await ada.change('check', name)).body;
    return domain.reason?.includes('127.0.0.2') ? domain : undefined;
  });
  assert.equal(certifying.state, 'certifying');
  const { status, headers, body } = await ask(service.port, { host: name });
  assert.deepEqual([status, headers.location, JSON.parse(body).code], [503, undefined, 'certificate_missing']);
  await service.pebble.find(name, undefined);
  // The next try is due.
  clock.ahead += 5 * 60_000;
  await ada.reach(name, 'live');
});

test('a name of another account cannot be taken, and requests alone do not order certificates', async (t) => {
  const clock = { ahead: 0 };
  const { records, service, ada } = await world(t, { clock });
  const name = 'shop.example.test';
  const bob = await signUp(service, 'bob');
  const own = await ada.add(name);
  const tried = await bob.add(name);
  assert.notEqual(own.records[0]!.value, tried.records[0]!.value);
  records[`TXT _berth.${name}`] = [own.records[0]!.value];
  records[`A ${name}`] = ['127.0.0.1'];
  await ada.reach(name, 'live');
  // Bob's record next to hers: the first one to verify has the name.
  records[`TXT _berth.${name}`] = [own.records[0]!.value, tried.records[0]!.value];
  const refused = await until('it is reported', async () => {
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
  assert.match(failing.reason!, /stays live until/);
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
