import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CertificateState } from '../../store/certificates.ts';
import {
  forgettable,
  isServed,
  type Names,
  nextOrders,
  planOrders,
  retryMs,
  type WantedCertificate,
  waitingHosts,
  wantedCertificates,
  weekMs,
} from './certificate-plan.ts';

const hour = 3_600_000;
const day = 24 * hour;
const now = 1_000 * day;
const appsDomain = 'apps.test';
const ofAda = (domains: readonly string[]) => domains.map((name) => ({ name, accountId: 'ada' }));
const names: Names = {
  apiHost: 'berth.test',
  appsDomain,
  wildcardBy: undefined,
  labels: ['new', 'old'],
  domains: [],
};

function stateOf(host: string, change: Partial<CertificateState> = {}): CertificateState {
  const none = {
    firstIssuedAt: null,
    issuedAt: null,
    expiresAt: null,
    renewAt: null,
    askAt: null,
    problem: null,
    told: null,
  };
  return { ...none, host, orderedAt: now - 100 * day, failures: 0, nextTryAt: 0, ...change };
}

function issued(host: string, change: Partial<CertificateState> = {}): CertificateState {
  const at = now - 30 * day;
  const row = { firstIssuedAt: at, issuedAt: at, orderedAt: at, expiresAt: at + 90 * day, renewAt: at + 60 * day };
  return stateOf(host, { ...row, ...change });
}

function described(wanted: WantedCertificate[], states: CertificateState[], maxInWeek = 50): string {
  const { orders, waiting } = planOrders(wanted, states, { now, maxInWeek, appsDomain });
  return [
    ...orders.map(({ host, challenge, because }) => `${because} ${host} ${challenge}`),
    ...waiting.map(({ host, because, until }) => `wait ${host} ${because} ${(until - now) / hour}h`),
  ].join('\n');
}

test('with records in DNS there are two certificates, however many applications there are', () => {
  assert.equal(
    described(wantedCertificates({ ...names, wildcardBy: 'dns-01' }), []),
    'first berth.test dns-01\nfirst *.apps.test dns-01',
  );
  assert.equal(
    described(wantedCertificates({ ...names, wildcardBy: 'dns-persist-01' }), []),
    'first berth.test http-01\nfirst *.apps.test dns-persist-01',
    'with one that stays, it is that of the applications',
  );
});

test('without a wildcard, the API is ordered first, then each serving application, the newest first', () => {
  assert.equal(
    described(wantedCertificates(names), []),
    'first berth.test http-01\nfirst new.apps.test http-01\nfirst old.apps.test http-01',
  );
});

test('what is renewed goes before what is new, the first to end first, and what is not due is left', () => {
  const wanted = wantedCertificates({ ...names, labels: ['a', 'b', 'c', 'd'] });
  const states = [
    issued('berth.test'),
    issued('b.apps.test', { renewAt: now, expiresAt: now + 20 * day }),
    issued('c.apps.test', { renewAt: now - day, expiresAt: now + 10 * day }),
    issued('d.apps.test', { expiresAt: now, renewAt: now - 30 * day }),
  ];
  assert.equal(
    described(wanted, states),
    [
      'renewal c.apps.test http-01',
      'renewal b.apps.test http-01',
      'first a.apps.test http-01',
      'first d.apps.test http-01',
    ].join('\n'),
  );
});

test('who failed waits for the next try, and who comes above the limit for the end of the week', () => {
  const wanted = wantedCertificates({ ...names, labels: ['a', 'b', 'c'] });
  const states = [
    stateOf('berth.test', { failures: 1, nextTryAt: now + hour }),
    issued('a.apps.test', { firstIssuedAt: now - 6 * day, issuedAt: now - 6 * day }),
    issued('gone.apps.test', { firstIssuedAt: now - 5 * day }),
  ];
  assert.equal(
    described(wanted, states, 3),
    'first b.apps.test http-01\nwait berth.test failed 1h\nwait c.apps.test limit 24h',
  );
});

test('an account orders no more in three hours than the authority takes, but for the own names', () => {
  const labels = Array.from({ length: 400 }, (_, index) => `a${index}`);
  const wanted = wantedCertificates({ ...names, labels });
  const states = labels.slice(0, 249).map((label) => issued(`${label}.apps.test`, { orderedAt: now - hour }));
  const { orders, waiting } = planOrders(wanted, states, { now, maxInWeek: 10_000, appsDomain });
  assert.deepEqual([orders.map(({ host }) => host), waiting.length], [['berth.test'], 151]);
  assert.ok(waiting.every(({ because, until }) => because === 'limit' && until === now + 2 * hour));
});

test('of a host that fails again and again each order counts, as far as they fit into three hours', () => {
  const wanted = wantedCertificates({ ...names, labels: ['a'] });
  const failing = (count: number, failures: number) =>
    Array.from({ length: count }, (_, index) =>
      stateOf(`${index}.apps.test`, { orderedAt: now - hour, failures, problem: 'no' }),
    );
  const ordered = (states: CertificateState[]) =>
    planOrders(wanted, states, { now, maxInWeek: 1_000, appsDomain }).orders.map(({ host }) => host);
  assert.deepEqual(ordered(failing(82, 3)), ['berth.test', 'a.apps.test']);
  assert.deepEqual(ordered(failing(83, 3)), ['berth.test']);
  assert.deepEqual(ordered(failing(49, 5)), ['berth.test', 'a.apps.test']);
  assert.deepEqual(ordered(failing(50, 5)), ['berth.test']);
  assert.deepEqual(ordered(failing(248, 6)), ['berth.test', 'a.apps.test'], 'all others lie further back');
  assert.deepEqual(ordered(failing(249, 6)), ['berth.test']);
});

test('custom domains have certificates of their own, with or without records in DNS, and take no place of the week', () => {
  const domains = ['shop.example.com', 'www.example.com'];
  const challenge = 'shop.example.com http-01\nfirst www.example.com http-01';
  assert.match(
    described(wantedCertificates({ ...names, wildcardBy: 'dns-01', domains: ofAda(domains) }), []),
    new RegExp(`\nfirst ${challenge}$`),
  );
  const states = [issued('berth.test'), issued('shop.example.com', { firstIssuedAt: now - day })];
  assert.equal(
    described(wantedCertificates({ ...names, domains: ofAda(domains) }), states, 1),
    'first new.apps.test http-01\nfirst www.example.com http-01\nwait old.apps.test limit 168h',
  );
});

test('first certificates of custom domains have a share of the three hours, and hold up nothing else', () => {
  const domains = Array.from({ length: 400 }, (_, index) => `a${index}.example.com`);
  const wanted = wantedCertificates({ ...names, domains: ofAda(domains) });
  const begun = planOrders(wanted, [issued('berth.test')], { now, maxInWeek: 50, appsDomain });
  assert.deepEqual([begun.orders.length, begun.waiting.length], [2 + 60, 340]);
  const states = [
    ...domains.slice(0, 40).map((host) => stateOf(host, { orderedAt: now - hour, problem: 'no' })),
    ...domains.slice(40, 50).map((host) => issued(host, { orderedAt: now - hour, firstIssuedAt: now - hour })),
    // Ten more are no longer wanted, and a renewal does not count.
    ...domains.slice(0, 10).map((host) => issued(`was-${host}`, { orderedAt: now - hour, firstIssuedAt: now - hour })),
    issued(domains[50]!, { orderedAt: now - hour }),
    issued(domains[51]!, { renewAt: now }),
  ];
  const { orders, waiting } = planOrders(wanted, [issued('berth.test'), ...states], { now, maxInWeek: 5, appsDomain });
  assert.deepEqual(
    orders.map(({ host }) => host),
    [domains[51], 'new.apps.test', 'old.apps.test'],
  );
  assert.ok(waiting.every(({ because, until }) => because === 'limit' && until === now + 2 * hour));
});

const instant = fc.integer({ min: now - 60 * day, max: now + 60 * day });
const anyState = fc.record({
  host: fc.constantFrom('berth.test', '*.apps.test', ...['a', 'b', 'c', 'd', 'e'].map((label) => `${label}.apps.test`)),
  times: fc.option(fc.tuple(instant, instant, instant), { nil: undefined }),
  orderedAt: instant,
  failures: fc.integer({ min: 0, max: 9 }),
  nextTryAt: instant,
});
const anyStates = fc.uniqueArray(anyState, { selector: ({ host }) => host }).map((found) =>
  found.map(({ times, ...row }) => {
    if (!times) return stateOf(row.host, row);
    const [firstIssuedAt, renewAt, expiresAt] = times;
    return stateOf(row.host, { ...row, firstIssuedAt, issuedAt: firstIssuedAt, renewAt, expiresAt });
  }),
);
const anyNames = fc.record({
  apiHost: fc.constant('berth.test'),
  appsDomain: fc.constant('apps.test'),
  wildcardBy: fc.constantFrom('dns-01' as const, 'dns-persist-01' as const, undefined),
  labels: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e')),
  domains: fc.constant([]),
});

test('in any state of the store, only wanted names are ordered, each once, none twice at a time, within the limits', () => {
  fc.assert(
    fc.property(anyNames, anyStates, fc.integer({ min: 0, max: 4 }), (names, states, maxInWeek) => {
      const wanted = wantedCertificates(names);
      const { orders, waiting } = planOrders(wanted, states, { now, maxInWeek, appsDomain });
      const hosts = [...orders, ...waiting].map(({ host }) => host);
      assert.equal(new Set(hosts).size, hosts.length);
      const known = new Map(states.map((state) => [state.host, state]));
      for (const { host } of wanted) {
        const state = known.get(host);
        const isDue = !isServed(state, now) || state!.renewAt! <= now;
        assert.equal(hosts.includes(host), isDue);
      }
      assert.ok(hosts.every((host) => wanted.some((each) => each.host === host)));
      assert.ok(orders.every(({ host }) => (known.get(host)?.nextTryAt ?? 0) <= now));
      const own = wanted.filter(({ isOwn }) => isOwn).map(({ host }) => host);
      const afterwards = states.filter(({ host, firstIssuedAt: at }) => {
        return !own.includes(host) && at !== null && Math.abs(now - at) < weekMs;
      });
      const more = orders.filter(({ host, isOwn, because }) => {
        return !isOwn && because === 'first' && !afterwards.some((state) => state.host === host);
      });
      assert.ok(more.length === 0 || more.length + afterwards.length <= maxInWeek);
      const gone = forgettable(wanted, states, now);
      assert.ok(gone.every((host) => !hosts.includes(host) && !isServed(known.get(host), now)));
      assert.ok(gone.every((host) => !afterwards.some((state) => state.host === host)));
    }),
  );
});

test('who fails again and again is tried ever more seldom, four times in the first hour and twice in the last twelve', () => {
  const waits = Array.from({ length: 8 }, (_, failures) => retryMs(failures, 0) / 60_000);
  assert.deepEqual(waits, [1, 4, 16, 64, 256, 360, 360, 360]);
  assert.equal(retryMs(0, 1), 75_000);
});

test('a host without a certificate waits for the order under way, the next try or the limit; one that has its own does not', () => {
  const wanted = wantedCertificates({ ...names, labels: ['new', 'begun', 'failed', 'held', 'late'] });
  const states = [
    issued('berth.test'),
    stateOf('begun.apps.test', { failures: 1, nextTryAt: now + hour }),
    stateOf('failed.apps.test', { failures: 1, nextTryAt: now + hour, problem: 'no' }),
    issued('late.apps.test', { renewAt: now, failures: 3, nextTryAt: now + hour, problem: 'no' }),
  ];
  const plan = planOrders(wanted, states, { now, maxInWeek: 1, appsDomain });
  assert.deepEqual(Object.fromEntries(waitingHosts(plan, states, now)), {
    'new.apps.test': { because: 'ordered' },
    'begun.apps.test': { because: 'ordered' },
    'failed.apps.test': { because: 'failed', until: now + hour },
    'held.apps.test': { because: 'limit', until: now + 7 * day },
  });
});

test('the first domain of each account is ordered before any second, and no account has all places', () => {
  const domains = ['a/1', 'a/2', 'a/3', 'b/1'].map((name) => ({ name, accountId: name[0]! }));
  const wanted = wantedCertificates({ ...names, domains });
  const custom = wanted.filter(({ isCustom }) => isCustom);
  assert.deepEqual(
    custom.map(({ host }) => host),
    ['a/1', 'b/1', 'a/2', 'a/3'],
  );
  const limits = { wanted, most: 4, maxOfAccount: 2 };
  const hostsOf = (underWay: string[]) =>
    nextOrders(custom, { ...limits, underWay: new Set(underWay) }).map(({ host }) => host);
  assert.deepEqual(hostsOf([]), ['a/1', 'b/1', 'a/2']);
  assert.deepEqual(hostsOf(['a/1', 'a/2']), ['b/1']);
  assert.deepEqual(hostsOf(['a/1', 'a/2', 'b/1']), []);
});
