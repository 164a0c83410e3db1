import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeCertificate } from '../../../test/support/certificate.ts';
import { emptyStore } from '../../../test/support/empty-store.ts';
import { sealWith } from '../../lib/seal.ts';
import { certificateStates } from '../../store/certificates.ts';
import { wantedCertificates } from './certificate-plan.ts';
import { type Issuing, issueDue } from './issuing.ts';

const minute = 60_000;
const silent = { info() {}, warn() {}, error() {} };

test('orders that hang keep a place each, are not placed twice, and do not delay others', async () => {
  const db = await emptyStore();
  const end = new AbortController();
  const { key, cert: chain } = await makeCertificate('DNS:*.apps.test');
  const labels = ['slow-1', 'slow-2', 'slow-3', 'a', 'b', 'c'];
  const names = { apiHost: 'api.apps.test', appsDomain: 'apps.test', wildcardBy: undefined, labels, domains: [] };
  const ordered: string[] = [];
  let now = Date.now();
  const issuing: Issuing = {
    db,
    seal: sealWith('tests'),
    now: () => now,
    random: () => 0,
    log: silent,
    maxInWeek: 50,
    appsDomain: names.appsDomain,
    wanted: async () => wantedCertificates(names),
    underWay: new Map(),
    authority: async () => ({
      async issue({ host }) {
        ordered.push(host);
        return host.startsWith('slow') ? new Promise(() => {}) : { chain, key };
      },
      suggestion: async () => undefined,
    }),
    answerer: () => ({ show: async () => {}, hide: async () => {} }),
    stored() {},
  };
  for (const others of ['api', 'a', 'b', 'c']) {
    await issueDue(issuing, end.signal);
    await issuing.underWay.get(`${others}.apps.test`);
    now += 2 * minute;
  }
  assert.deepEqual(
    ordered.map((host) => host.split('.')[0]),
    ['api', 'slow-1', 'slow-2', 'slow-3', 'a', 'b', 'c'],
  );
  const issued = (await certificateStates(db)).filter(({ issuedAt }) => issuedAt !== null);
  assert.deepEqual(
    issued.map(({ host }) => host),
    ['a', 'api', 'b', 'c'].map((name) => `${name}.apps.test`),
  );
  end.abort();
  await Promise.all(issuing.underWay.values());
  assert.equal(issuing.underWay.size, 0);
});
