/** Custom domains: whose a name is, and where it leads. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Kysely } from 'kysely';
import { afterCheck, quarantineMs } from '../../../src/deployment/domain/domain-state.ts';
import { recordOrder } from '../../../src/store/certificates.ts';
import { addDeployment } from '../../../src/store/deployments.ts';
import {
  countDomains,
  deleteReleasedDomains,
  domainAt,
  domainOfAccount,
  domainsOfDeployment,
  domainsWithProblems,
  dueDomains,
  isHeldByOther,
  makeDomainDue,
  putDomain,
  recordDomainCheck,
  recordDomainNotice,
  releaseDomain,
  restoreDomains,
  servedDomains,
  strayDomains,
} from '../../../src/store/domains.ts';
import { routesSince } from '../../../src/store/routes.ts';
import type { Tables } from '../../../src/store/rows.ts';
import { addSession } from '../../../src/store/sessions.ts';
import { addAccount } from '../../support/accounts.ts';
import { deploymentOf } from '../../support/deployments.ts';
import type { OpenStore } from './store.ts';

const name = 'shop.example.com';
const found = {
  proof: [{ server: 'resolver', said: 'proof' as const }],
  direction: { kind: 'here' as const },
  wanted: ['203.0.113.7'],
};

export function domainsContract(open: OpenStore): void {
  let db: Kysely<Tables>;
  const endpoints = [{ path: '/', address: '10.0.0.1', port: 80 }];
  beforeEach(async () => {
    db = await open();
    for (const accountId of ['ada', 'bob']) {
      await addAccount(db, accountId, { isVerified: false });
      await addSession(db, { id: accountId, token: accountId, createdAt: 0, accountId });
      for (const number of [1, 2]) {
        const id = `${accountId}${number}`;
        const names = { id, label: id, applicationName: id, environment: id };
        await addDeployment(db, deploymentOf({ ...names, sessionId: accountId, claimedAt: 0, endpoints }));
      }
    }
  });
  afterEach(async () => await db.destroy());

  const all = <T>(work: (db: Kysely<Tables>) => Promise<T>) => db.transaction().execute(work);
  const put = (accountId: string, deploymentId: string, now: number, redirectTo: string | null = null) =>
    all((db) => putDomain(db, { name, accountId, deploymentId, redirectTo, now }));
  async function prove(accountId: string, now: number): Promise<void> {
    const before = (await domainOfAccount(db, { name, accountId }))!;
    const isFree = !(await isHeldByOther(db, before, now));
    await all((db) => recordDomainCheck(db, before, afterCheck(before, found, { now, isFree, random: 0.123456789 })));
  }
  /** The deployment that the name leads to, according to the changes since a version. */
  async function led(since: number | undefined) {
    const { changed, version } = await routesSince(db, since);
    const reported = changed.flatMap(({ id, domains }) =>
      domains.map((domain) => `${id} ${domain.name} ${domain.isServed ? 'served' : 'not served'}`),
    );
    return { version, told: reported.toSorted() };
  }

  test('several accounts may try to prove a name, and the first that does has it', async () => {
    await put('ada', 'ada1', 1);
    await put('bob', 'bob1', 2);
    assert.equal(await domainAt(db, name), undefined);
    await prove('ada', 3);
    await prove('bob', 4);
    assert.equal((await domainAt(db, name))?.deploymentId, 'ada1');
    assert.equal((await domainOfAccount(db, { name, accountId: 'bob' }))?.verifiedAt, null);
    assert.equal((await domainOfAccount(db, { name, accountId: 'bob' }))?.finding?.isTaken, true);
    await assert.rejects(
      db.updateTable('domains').set({ verifiedAt: 9 }).where('accountId', '=', 'bob').execute(),
      'not even a fault of ours gives a name two owners',
    );
    assert.deepEqual([await countDomains(db, 'ada'), await countDomains(db, 'bob')], [1, 1]);
  });

  test('a lost name is reserved for seven days', async () => {
    await put('ada', 'ada1', 1);
    await prove('ada', 2);
    await all((db) => releaseDomain(db, { name, accountId: 'ada' }, { because: 'unproven', now: 10 }));
    await put('bob', 'bob1', 11);
    await prove('bob', 12);
    assert.equal(await domainAt(db, name), undefined);
    await put('ada', 'ada1', 13);
    await prove('ada', 14);
    assert.equal((await domainAt(db, name))?.accountId, 'ada', 'the same account gets it back');
    await all((db) => releaseDomain(db, { name, accountId: 'ada' }, { because: 'removed', now: 20 }));
    await put('ada', 'ada1', 21);
    await all((db) => releaseDomain(db, { name, accountId: 'ada' }, { because: 'removed', now: 22 }));
    await prove('bob', 19 + quarantineMs);
    assert.equal(await domainAt(db, name), undefined, 'nor does trying again make it shorter');
    await prove('bob', 20 + quarantineMs);
    assert.equal((await domainAt(db, name))?.accountId, 'bob');
  });

  test('a name that was removed before it was verified leaves nothing, and is not reserved', async () => {
    await put('ada', 'ada1', 1);
    await all((db) => releaseDomain(db, { name, accountId: 'ada' }, { because: 'removed', now: 2 }));
    assert.deepEqual(await domainsOfDeployment(db, 'ada1'), []);
    await put('ada', 'ada1', 3);
    await prove('ada', 4);
    await all((db) => releaseDomain(db, { name, accountId: 'ada' }, { because: 'removed', now: 5 }));
    await put('ada', 'ada1', 6);
    await all((db) => releaseDomain(db, { name, accountId: 'ada' }, { because: 'removed', now: 7 }));
    assert.equal(await isHeldByOther(db, { name, accountId: 'bob' }, 4 + quarantineMs), true, 'it was proven once');
  });

  test('a restored deployment has the names that its end took, except those that now belong to another account', async () => {
    await put('ada', 'ada1', 1);
    await prove('ada', 2);
    const lose = () => all((db) => releaseDomain(db, { name, accountId: 'ada' }, { because: 'ended', now: 10 }));
    const restore = (most: number, now: number) =>
      all((db) => restoreDomains(db, 'ada1', { most, now }).then(() => domainAt(db, name)));
    await lose();
    const { version } = await led(undefined);
    assert.equal(await restore(0, 11), undefined, 'the account has others instead');
    const back = await restore(1, 12);
    assert.deepEqual([back?.deploymentId, back?.verifiedAt, back?.nextCheckAt], ['ada1', 2, 12]);
    assert.deepEqual((await led(version)).told, [`ada1 ${name} served`]);
    await lose();
    await put('bob', 'bob1', 11);
    await prove('bob', 10 + quarantineMs);
    assert.equal((await restore(1, 11 + quarantineMs))?.accountId, 'bob');
    await all((db) => releaseDomain(db, { name, accountId: 'bob' }, { because: 'removed', now: 12 + quarantineMs }));
    assert.equal(await restore(1, 13 + quarantineMs), undefined);
  });

  test('edges are notified of a name that serves, moves, and serves no more', async () => {
    const { version } = await led(undefined);
    await put('ada', 'ada1', 1);
    await put('bob', 'bob1', 1);
    const pending = await led(version);
    assert.deepEqual(pending.told, [`ada1 ${name} not served`, `bob1 ${name} not served`]);
    await prove('ada', 2);
    const proven = await led(pending.version);
    assert.deepEqual(proven.told, [`ada1 ${name} served`]);
    assert.deepEqual((await led(version)).told, [`ada1 ${name} served`], 'an attempt is not announced');
    assert.deepEqual((await led(undefined)).told, [`ada1 ${name} served`]);
    await put('ada', 'ada2', 3);
    const moved = await led(proven.version);
    assert.deepEqual(moved.told, [`ada2 ${name} served`]);
    assert.equal((await servedDomains(db))[0]?.deploymentId, 'ada2');
    await all((db) => releaseDomain(db, { name, accountId: 'ada' }, { because: 'removed', now: 4 }));
    assert.deepEqual((await led(moved.version)).told, [`ada2 ${name} not served`]);
    assert.deepEqual(await servedDomains(db), []);
  });

  test('a check without a change is not a version of the routes', async () => {
    await put('ada', 'ada1', 1);
    await prove('ada', 2);
    const { version } = await led(undefined);
    await prove('ada', 3);
    assert.deepEqual(await led(version), { version, told: [] });
  });

  test('names are checked when they are due, and names of an ended deployment, or without one, are found', async () => {
    await put('ada', 'ada1', 1);
    const all = { ofAccount: 10, limit: 10 };
    assert.equal((await dueDomains(db, 0, all)).length, 0);
    assert.equal((await dueDomains(db, 1, all))[0]?.name, name);
    await prove('ada', 2);
    assert.equal((await dueDomains(db, 3, all)).length, 0);
    await makeDomainDue(db, { name, accountId: 'ada' }, 3);
    assert.equal((await dueDomains(db, 3, all)).length, 1);
    assert.deepEqual(await strayDomains(db, 3), []);
    await db.updateTable('sessions').set({ accountId: null }).where('id', '=', 'ada').execute();
    assert.equal((await strayDomains(db, 3)).length, 1);
    await db.updateTable('sessions').set({ accountId: 'ada' }).where('id', '=', 'ada').execute();
    await db.updateTable('deployments').set({ removedAt: 3 }).where('id', '=', 'ada1').execute();
    assert.equal((await strayDomains(db, 3)).length, 1);
  });

  test('names that fail, and names with failing certificates, are listed until their owners were notified', async () => {
    await put('ada', 'ada1', 1);
    const names = async () => (await domainsWithProblems(db)).map(({ told }) => told);
    await db.updateTable('domains').set({ failingSince: 1 }).execute();
    assert.deepEqual(await names(), [], 'it was never proven');
    await prove('ada', 2);
    assert.deepEqual(await names(), []);
    await recordOrder(db, { host: name, now: 3, nextTryAt: 4 });
    assert.deepEqual(await names(), [null]);
    await db.deleteFrom('certificates').execute();
    await recordDomainNotice(db, { name, accountId: 'ada' }, 'uncertified');
    assert.deepEqual(await names(), ['uncertified'], 'it has recovered');
    await recordDomainNotice(db, { name, accountId: 'ada' }, null);
    assert.deepEqual(await names(), []);
  });

  test('a name that was lost is forgotten when others may have it', async () => {
    await put('ada', 'ada1', 1);
    await prove('ada', 2);
    await all((db) => releaseDomain(db, { name, accountId: 'ada' }, { because: 'ended', now: 10 }));
    await deleteReleasedDomains(db, 9 + quarantineMs);
    assert.equal((await domainsOfDeployment(db, 'ada1')).length, 1);
    await deleteReleasedDomains(db, 10 + quarantineMs);
    assert.equal((await domainsOfDeployment(db, 'ada1')).length, 0);
  });
}
