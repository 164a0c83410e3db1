/** The doctor's verdicts on a sound installation, and on one with a single fault of each kind. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from './check.ts';
import { failedOrders, judgeCertificate, judgeOrders, type Shown } from './inspect-network.ts';
import { judgeClock, judgeDisk, judgeEngine, judgeFirewall, judgeService } from './machine.ts';
import { judgeListening, judgeNames, judgePort, type ObservedNames } from './names-and-ports.ts';
import { judgeBackup, judgeDatabase, judgeMail, judgeOpenness, judgeOperatorMail, type Openness } from './upkeep.ts';

const now = Date.UTC(2030, 0, 1);
const day = 24 * 3_600_000;
const gibibyte = 2 ** 30;

const names: ObservedNames = {
  api: { host: 'berth.example.com', addresses: { value: ['203.0.113.7'] } },
  apps: { host: 'any.apps.example.net', addresses: { value: ['203.0.113.7'] } },
  own: ['127.0.0.1', '203.0.113.7'],
  isBehindProxy: false,
};
const shown: Shown = { issuer: 'CA', chain: 3, problem: undefined, begunAt: now - 30 * day, expiresAt: now + 60 * day };
const certificate = (change: Partial<Shown>) =>
  judgeCertificate(
    { name: 'certificate-api', host: 'berth.example.com', shown: { value: { ...shown, ...change } } },
    now,
  );
const disk = (free: number) =>
  judgeDisk(
    { place: '/data', space: { value: { freeBytes: free * gibibyte, totalBytes: 100 * gibibyte } } },
    5 * gibibyte,
  );
const service = { value: { isReady: true, problem: undefined, isIsolated: true } };
const open: Openness = {
  isPublic: true,
  isHttps: true,
  proofOfWork: 'auto',
  signUp: 'open',
  hasMail: true,
  sharedDomain: undefined,
  hasTerms: true,
};
const port = { scheme: 'https', host: 'berth.example.com', port: 443 } as const;
const fault = { fault: 'ECONNREFUSED' };
const closed = { code: 'ECONNREFUSED', kind: 'none' } as const;
const mail = { server: 'mail.example.com:587', answer: { value: { isSent: false } } };

/** The failed checks and warnings, in words. */
function reported(...checks: Check[]): string {
  for (const { name, state, todo } of checks)
    if (state === 'bad' || state === 'warn') assert.ok(todo, `${name}: what to do`);
  return checks
    .filter(({ state }) => state !== 'good')
    .map(({ name, state, observed }) => `${state} ${name}: ${observed}`)
    .join('\n');
}

test('of what is sound all is good', () => {
  const checks = [
    ...judgeNames(names),
    ...judgeNames({ ...names, own: [], isBehindProxy: true }),
    judgeListening({ host: '0.0.0.0', isPublic: true, isBehindProxy: false }),
    judgePort({ ...port, answer: { kind: 'berth' } }),
    ...[certificate({}), judgeOrders({ value: [] }), judgeClock({ source: 'ca', aheadMs: { value: -900 } }), disk(50)],
    ...judgeEngine({ value: { version: '29.5.1', outdated: [] } }),
    ...[judgeService(service), judgeFirewall(service, false), judgeBackup({ value: now - day }, now)],
    ...[
      judgeDatabase('berth.db', { value: 2 }),
      judgeMail(mail),
      judgeOperatorMail('me@example.com', true),
      ...judgeOpenness(open),
    ],
  ];
  assert.equal(reported(...checks), '');
});

const broken: [string, Check[], RegExp][] = [
  [
    'a name that is not in DNS',
    judgeNames({ ...names, api: { ...names.api, addresses: { fault: 'ENOTFOUND' } } }),
    /^bad dns-api: berth.example.com is not in DNS.$/,
  ],
  [
    'no DNS at all',
    judgeNames({ ...names, api: { ...names.api, addresses: { fault: 'EAI_AGAIN' } } }),
    /^unknown dns-api: .* EAI_AGAIN.$/,
  ],
  [
    'a name without an address',
    judgeNames({ ...names, apps: { ...names.apps, addresses: { value: [] } } }),
    /^bad dns-applications: \*\.apps\.example\.net has no address/,
  ],
  [
    'a name that leads to oneself',
    judgeNames({ ...names, api: { ...names.api, addresses: { value: ['203.0.113.7', '::1'] } } }),
    /^bad dns-api: .* leads to ::1,/,
  ],
  [
    'a name of another machine',
    judgeNames({ ...names, own: ['10.0.0.5'] }),
    /^warn dns-api: .*no interface.*\nwarn dns-applications/,
  ],
  [
    'names of two machines',
    judgeNames({
      ...names,
      own: ['203.0.113.7', '203.0.113.8'],
      apps: { ...names.apps, addresses: { value: ['203.0.113.8'] } },
    }),
    /^warn dns-together: Applications lead to 203.0.113.8/,
  ],
  [
    'a service for this machine alone',
    [judgeListening({ host: '127.0.0.1', isPublic: true, isBehindProxy: false })],
    /^bad listening/,
  ],
  ['a port without a listener', [judgePort({ ...port, answer: closed })], /^bad port-https: Nothing listens/],
  [
    'a port behind a firewall',
    [judgePort({ ...port, answer: { kind: 'none', code: 'timeout' } })],
    /^bad port-https: .* does not answer/,
  ],
  [
    'a port of another program',
    [judgePort({ ...port, answer: { kind: 'other', status: 200 } })],
    /^bad port-https: .* status 200/,
  ],
  [
    'an untrusted certificate',
    [certificate({ problem: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', chain: 1 })],
    /^bad certificate-api: .*UNABLE.*; 1 in its chain/,
  ],
  [
    'a certificate that has ended',
    [certificate({ expiresAt: now - day, problem: 'CERT_HAS_EXPIRED' })],
    /^bad .*expired 1 days ago/,
  ],
  [
    'a certificate that ends soon',
    [certificate({ begunAt: now - 80 * day, expiresAt: now + 10 * day })],
    /^warn .* 10 days left/,
  ],
  [
    'no certificate',
    [
      judgeCertificate(
        { name: 'certificate-api', host: 'a', shown: { fault: 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME'.toLowerCase() } },
        now,
      ),
    ],
    /^bad certificate-api: a is shown no certificate/,
  ],
  [
    'orders that fail',
    [
      judgeOrders({
        value: [
          { host: 'a.test', problem: 'it cannot be reached' },
          { host: 'b.test', problem: 'x' },
        ],
      }),
    ],
    /^bad .* a\.test has failed: it cannot be reached\. So have 1 others/,
  ],
  [
    'a clock ahead',
    [judgeClock({ source: 'ca', aheadMs: { value: 20_000 } })],
    /^warn clock: The clock is 20 s ahead of that of ca/,
  ],
  [
    'a clock far behind',
    [judgeClock({ source: 'ca', aheadMs: { value: -7_200_000 } })],
    /^bad clock: The clock is 7200 s behind/,
  ],
  ['no source of the time', [judgeClock({ source: 'ca', aheadMs: fault })], /^unknown clock/],
  ['a disk that is nearly full', [disk(7)], /^warn disk: \/data: 7\.0 GiB of 100\.0 GiB/],
  ['a full disk', [disk(4)], /^bad disk: .*nothing starts/],
  ['an engine that is away', judgeEngine(fault), /^bad engine/],
  [
    'an outdated engine',
    judgeEngine({ value: { version: '20.10.24', outdated: ['runc 1.1.5 is older than 1.3.6'] } }),
    /^warn engine-versions: runc 1\.1\.5/,
  ],
  ['a service that is away', [judgeService(fault), judgeFirewall(fault, false)], /^bad service.*\nunknown firewall/],
  [
    'a service that is not ready',
    [judgeService({ value: { ...service.value, isReady: false, problem: 'The engine is away.' } })],
    /^bad service: .*The engine is away/,
  ],
  ['no firewall', [judgeFirewall({ value: { ...service.value, isIsolated: false } }, true)], /^bad firewall/],
  ['a firewall that may be missing', [judgeFirewall(service, true)], /^warn firewall/],
  [
    'metrics that are closed',
    [judgeFirewall({ value: { ...service.value, isIsolated: undefined } }, false)],
    /^unknown firewall/,
  ],
  ['no backup', [judgeBackup({ value: undefined }, now)], /^bad backup: No backup was ever made/],
  ['an old backup', [judgeBackup({ value: now - 3 * day }, now)], /^warn backup: .* 3 days ago/],
  ['a very old backup', [judgeBackup({ value: now - 8 * day }, now)], /^bad backup/],
  [
    'a database that is away',
    [judgeDatabase('x', fault), judgeBackup(fault, now)],
    /^bad database: x cannot be used.*\nunknown backup/,
  ],
  ['a database without a service', [judgeDatabase('x', { value: undefined })], /^bad database: No service/],
  ['a slow database', [judgeDatabase('x', { value: 1_500 })], /^warn database: x answers in 1500 ms/],
  ['no recipient', [judgeOperatorMail(undefined, true)], /^warn operator-mail/],
  ['no mail server', [judgeMail(undefined)], /^warn mail/],
  ['a mail server that refuses the login', [judgeMail({ ...mail, answer: { fault: 'EAUTH' } })], /^bad mail: .*EAUTH/],
  ['one domain for all', judgeOpenness({ ...open, sharedDomain: 'example.com' }), /^bad domains/],
  ['no TLS', judgeOpenness({ ...open, isHttps: false }), /^bad https/],
  ['no proof of work', judgeOpenness({ ...open, proofOfWork: 'off' }), /^warn strangers/],
  ['unverified sign-ups', judgeOpenness({ ...open, hasMail: false }), /^warn sign-up/],
  ['no terms', judgeOpenness({ ...open, hasTerms: false }), /^warn terms/],
];

for (const [title, checks, words] of broken)
  test(`${title}: the report names the problem and gives advice`, () => assert.match(reported(...checks), words));

test('a service for this machine alone gets no advice for public ones', () => {
  const checks = judgeOpenness({
    ...open,
    isPublic: false,
    isHttps: false,
    proofOfWork: 'off',
    hasMail: false,
    hasTerms: false,
  });
  assert.ok(checks.every(({ state }) => state === 'good' || state === 'unknown'));
});

test('of the orders that failed those of custom domains are their owners’ affair', () => {
  const hosts = ['berth.example.com', '*.apps.example.net', 'shop.apps.example.net', 'shop.example.org'];
  const states = hosts.map((host) => ({ host, failures: 1, problem: 'x' }));
  const own = { baseUrl: new URL('https://berth.example.com'), appsDomain: 'apps.example.net' };
  assert.deepEqual(
    failedOrders([...states, { host: 'well.apps.example.net', failures: 0, problem: null }], own),
    hosts.slice(0, 3).map((host) => ({ host, problem: 'x' })),
  );
});
