/** Stored data of an authority: certificates, the account's key, and pending challenges. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Kysely } from 'kysely';
import { sealWith } from '../../../src/lib/seal.ts';
import {
  accountKey,
  addChallenge,
  challengeAnswer,
  deleteOldChallenges,
  removeChallenge,
} from '../../../src/store/acme.ts';
import {
  certificateStates,
  deleteCertificates,
  planRenewal,
  recordAlert,
  recordOrder,
  recordOrderFailure,
  sealedCertificates,
  storeCertificate,
} from '../../../src/store/certificates.ts';
import { resealAll } from '../../../src/store/reseal.ts';
import type { Tables } from '../../../src/store/rows.ts';
import type { OpenStore } from './store.ts';

export function certificatesContract(open: OpenStore): void {
  let db: Kysely<Tables>;
  beforeEach(async () => {
    db = await open();
  });
  afterEach(async () => await db.destroy());

  const host = '*.apps.test';
  const seal = sealWith('a secret of the tests');

  async function issue(issuedAt: number, text: string): Promise<void> {
    await recordOrder(db, { host, now: issuedAt - 1, nextTryAt: issuedAt + 60 });
    const issued = { issuedAt, expiresAt: issuedAt + 90, renewAt: issuedAt + 60, askAt: issuedAt };
    await storeCertificate(db, { host, ...issued, pem: seal.close(text) });
  }

  test('an order counts as failed until its certificate is stored, and keeps the one from before', async () => {
    await recordOrder(db, { host, now: 10, nextTryAt: 70 });
    await recordOrderFailure(db, host, 'no such record');
    await recordOrder(db, { host, now: 80, nextTryAt: 300 });
    const [state] = await certificateStates(db);
    assert.deepEqual(
      { ...state },
      {
        host,
        firstIssuedAt: null,
        issuedAt: null,
        expiresAt: null,
        renewAt: null,
        askAt: null,
        orderedAt: 80,
        failures: 2,
        nextTryAt: 300,
        problem: 'no such record',
        told: null,
      },
    );
    assert.deepEqual(await sealedCertificates(db, [host]), []);
    await recordAlert(db, [host], 'failing');
    assert.equal((await certificateStates(db))[0]!.told, 'failing');
    await issue(1_000, 'first');
    await issue(1_060, 'second');
    await recordOrder(db, { host, now: 1_121, nextTryAt: 1_200 });
    await planRenewal(db, { host, renewAt: 1_110, askAt: 1_150 });
    const [renewed] = await certificateStates(db);
    assert.deepEqual(
      { ...renewed },
      {
        host,
        firstIssuedAt: 1_000,
        issuedAt: 1_060,
        expiresAt: 1_150,
        renewAt: 1_110,
        askAt: 1_150,
        orderedAt: 1_121,
        failures: 1,
        nextTryAt: 1_200,
        problem: null,
        told: null,
      },
    );
    const [stored] = await sealedCertificates(db, [host, 'other.test']);
    assert.equal(seal.open(stored!.pem), 'second');
    await deleteCertificates(db, [host]);
    assert.deepEqual(await certificateStates(db), []);
  });

  test('certificates and keys of accounts are resealed with a new key', async () => {
    await recordOrder(db, { host: 'none.test', now: 1, nextTryAt: 2 });
    await issue(10, 'chain and key');
    const account = { directory: 'https://ca.test/', make: async () => 'an account key' };
    await accountKey(db, seal, account);
    const next = sealWith('another secret of the tests', 'a secret of the tests');
    assert.deepEqual(await resealAll(db, next, { whenDone: () => {} }), { rows: 2, unreadable: 0 });
    const only = sealWith('another secret of the tests');
    assert.equal(only.open((await sealedCertificates(db, [host]))[0]!.pem), 'chain and key');
    assert.equal(await accountKey(db, only, { ...account, make: async () => 'a new one' }), 'an account key');
  });

  test('each directory has one key, which is only replaced if it cannot be opened', async () => {
    const key = (directory: string, made: string, by = seal) =>
      accountKey(db, by, { directory, make: async () => made });
    assert.equal(await key('https://a.test/', 'first'), 'first');
    assert.deepEqual(
      await Promise.all([1, 2, 3].map((n) => key('https://a.test/', `later ${n}`))),
      Array(3).fill('first'),
    );
    assert.equal(await key('https://b.test/', 'second'), 'second');
    const lost = sealWith('another secret than that of the tests');
    assert.equal(await key('https://a.test/', 'third', lost), 'third');
    assert.equal(await key('https://a.test/', 'fourth', lost), 'third');
  });

  test('a challenge is answered at its own host, until it is taken away or its time is over', async () => {
    await addChallenge(db, { token: 'token', host: 'a.test', answer: 'yes', expiresAt: 100 });
    await addChallenge(db, { token: 'other', host: 'b.test', answer: 'no', expiresAt: 100 });
    const answer = (host: string, token: string, now = 50) => challengeAnswer(db, { host, token, now });
    assert.equal(await answer('a.test', 'token'), 'yes');
    assert.deepEqual(
      [await answer('b.test', 'token'), await answer('a.test', 'other'), await answer('a.test', 'token', 100)],
      [undefined, undefined, undefined],
    );
    await removeChallenge(db, 'token');
    assert.equal(await answer('a.test', 'token'), undefined);
    await deleteOldChallenges(db, 99);
    assert.equal(await answer('b.test', 'other'), 'no');
    await deleteOldChallenges(db, 100);
    assert.deepEqual(await db.selectFrom('acmeChallenges').selectAll().execute(), []);
  });
}
