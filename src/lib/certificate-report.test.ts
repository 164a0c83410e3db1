import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CertificateReport,
  certificateNotice,
  certificateProblem,
  certificateWait,
  lateAt,
  noticeText,
} from './certificate-report.ts';

const day = 24 * 3_600_000;

test('a certificate is late a week before its end, and in the last sixth of a short life', () => {
  assert.equal(lateAt({ begunAt: 0, expiresAt: 90 * day }), 83 * day);
  assert.equal(lateAt({ begunAt: 0, expiresAt: 6 * day }), 5 * day);
});

test('trouble is a certificate of our own that is missing, or any that is late', () => {
  const served = [10, 20].map((days) => ({
    hosts: [`*.${days}.test`],
    expiresAt: days * day,
    lateAt: (days - 7) * day,
  }));
  const report: CertificateReport = {
    served,
    missing: 5,
    failing: 5,
    isReady: true,
    isRenewed: false,
    waiting: new Map(),
  };
  assert.equal(certificateProblem(report, 3 * day - 1), undefined);
  assert.equal(
    certificateProblem(report, 3 * day),
    '1 of 2 certificates should long have been renewed; the first ends at 1970-01-11T00:00:00.000Z.',
  );
  assert.equal(certificateNotice(report, 'shop.10.test', 3 * day - 1), undefined);
  assert.equal(certificateNotice(report, 'shop.20.test', 3 * day), undefined);
  assert.deepEqual(certificateNotice(report, 'shop.10.test', 3 * day), { because: 'late', until: 10 * day });
  assert.match(noticeText({ because: 'late', until: 10 * day }), /ends on 1970-01-11 at 00:00 UTC/);
  assert.equal(certificateProblem({ ...report, isReady: false }, 0), "The service's own certificate is missing.");
});

test('a host waits for its own certificate, or for the wildcard of its parent', () => {
  const until = Date.UTC(2030, 0, 2, 3, 4, 5);
  const waiting = new Map([
    ['shop.apps.test', { because: 'limit', until } as const],
    ['*.other.test', { because: 'ordered' } as const],
  ]);
  const report: CertificateReport = { served: [], missing: 2, failing: 0, isReady: true, isRenewed: false, waiting };
  assert.equal(certificateWait(undefined, 'shop.apps.test'), undefined);
  assert.equal(certificateWait(report, 'other.test'), undefined);
  assert.equal(certificateWait(report, 'a.b.other.test'), undefined);
  assert.deepEqual(certificateWait(report, 'a.other.test'), { because: 'ordered' });
  assert.equal(
    noticeText(certificateWait(report, 'shop.apps.test')!),
    'The authority issues no more certificates for this service before 2030-01-02 at 03:04 UTC.',
  );
});
