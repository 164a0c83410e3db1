import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CertificateState } from '../../store/certificates.ts';
import { certificateAlarms } from './certificate-alarm.ts';
import { wantedCertificates } from './certificate-plan.ts';

const day = 24 * 3_600_000;
const now = 1_000 * day;
const labels = Array.from({ length: 30 }, (_, index) => `a${index}`);
const wanted = wantedCertificates({
  apiHost: 'berth.test',
  appsDomain: 'apps.test',
  wildcardBy: undefined,
  labels,
  domains: [{ name: 'shop.example.com', accountId: 'ada' }],
});

function row(host: string, change: Partial<CertificateState> = {}): CertificateState {
  const none = { firstIssuedAt: null, issuedAt: null, expiresAt: null, renewAt: null, askAt: null, told: null };
  return { ...none, host, orderedAt: now, failures: 3, nextTryAt: now, problem: 'it is away', ...change };
}
const ending = (host: string, change: Partial<CertificateState> = {}) =>
  row(host, { issuedAt: now - 84 * day, expiresAt: now + 6 * day, ...change });

const reported = (...states: CertificateState[]) =>
  certificateAlarms(wanted, states, { now, service: 'berth.test' }).map(
    ({ kind, hosts }) => `${kind} ${hosts.join(' ')}`,
  );

test('the operator is notified of a host after its third failure in a row, and not again', () => {
  assert.deepEqual(reported(row('berth.test', { failures: 2 })), []);
  assert.deepEqual(reported(row('berth.test')), ['failing berth.test']);
  assert.deepEqual(reported(row('berth.test', { told: 'failing', failures: 9 })), []);
  assert.deepEqual(reported(row('berth.test', { problem: null })), [], 'it is under way');
});

test('a certificate that is about to end is reported once more, after any earlier report', () => {
  assert.deepEqual(reported(ending('berth.test', { told: 'failing' })), ['ending berth.test']);
  assert.deepEqual(reported(ending('berth.test', { told: 'ending' })), []);
  assert.deepEqual(reported(ending('berth.test', { expiresAt: now + 20 * day, failures: 0, problem: null })), []);
});

test('unwanted hosts and custom domains of accounts are not reported', () => {
  assert.deepEqual(reported(row('gone.apps.test'), ending('former.test'), row('shop.example.com')), []);
});

test('one mail names all hosts that fail at once, the first twenty with their errors', () => {
  const [alarm, ...more] = certificateAlarms(
    wanted,
    labels.map((label) => row(`${label}.apps.test`)),
    { now, service: 'berth.test' },
  );
  assert.deepEqual([alarm!.hosts.length, more], [30, []]);
  assert.equal(alarm!.text.match(/it is away/g)?.length, 20);
  assert.match(alarm!.text, /and 10 more/);
});
