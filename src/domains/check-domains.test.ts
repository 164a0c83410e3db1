import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addAccount } from '../../test/support/accounts.ts';
import { deploymentOf } from '../../test/support/deployments.ts';
import { emptyStore } from '../../test/support/empty-store.ts';
import type { Finding } from '../deployment/domain/domain-finding.ts';
import { graceMs } from '../deployment/domain/domain-state.ts';
import { addDeployment } from '../store/deployments.ts';
import { domainAt, domainsOfDeployment, putDomain } from '../store/domains.ts';
import { addSession } from '../store/sessions.ts';
import type { DomainQuery } from './lookup.ts';
import { createDomainChecks } from './open.ts';

const name = 'shop.example.com';
const dayMs = 24 * 3_600_000;

async function world() {
  const db = await emptyStore();
  for (const id of ['ada', 'bob']) {
    await addAccount(db, id, { isVerified: false });
    await addSession(db, { id, token: id, createdAt: 0, accountId: id });
    await addDeployment(db, deploymentOf({ id, label: `${id}-shop`, environment: id, sessionId: id, claimedAt: 0 }));
  }
  const requested: DomainQuery[] = [];
  const state = { now: 1, owner: undefined as string | undefined };
  const lookup = async (question: DomainQuery): Promise<Finding> => {
    requested.push(question);
    const isThere = state.owner === question.proof.value;
    const proof = isThere ? ({ server: 'ns1', said: 'proof' } as const) : ({ server: 'ns1', said: 'nothing' } as const);
    return { proof: [proof], direction: { kind: 'here' }, wanted: ['203.0.113.7'] };
  };
  const duty = { take: async () => true };
  const common = { db, lookup, now: () => state.now, random: () => 0, duty, installation: 'i' };
  const checking = { ...common, appsDomain: 'apps.test', log: { info() {}, error() {} } };
  /** Whether something has turned. */
  const look = async () => {
    let hasTurned = false;
    await createDomainChecks(checking, () => {
      hasTurned = true;
    }).run();
    return hasTurned;
  };
  const add = (accountId: string) =>
    db
      .transaction()
      .execute((db) => putDomain(db, { name, accountId, deploymentId: accountId, redirectTo: null, now: state.now }));
  return { db, state, asked: requested, look, add };
}

test('a left-over alias does not verify a name: the proof belongs to the account that requests it', async () => {
  const { db, state, asked, look, add } = await world();
  await add('ada');
  await look();
  state.owner = asked[0]!.proof.value;
  state.now += dayMs;
  assert.equal(await look(), true);
  assert.equal((await domainAt(db, name))?.accountId, 'ada');
  // The name still leads to this service, and Ada's record still exists.
  await db.updateTable('deployments').set({ removedAt: state.now }).where('id', '=', 'ada').execute();
  assert.equal(await look(), true);
  assert.equal(await domainAt(db, name), undefined);
  await add('bob');
  for (let day = 0; day < 10; day += 1) {
    state.now += dayMs;
    await look();
  }
  assert.equal(await domainAt(db, name), undefined);
  state.owner = asked.at(-1)!.proof.value;
  state.now += dayMs;
  await look();
  assert.equal((await domainAt(db, name))?.accountId, 'bob', 'the owner of the zone gets the name after seven days');
  await db.destroy();
});

test('a name whose record is gone serves for its days of grace, is reported as failing, and is released', async () => {
  const { db, state, asked, look, add } = await world();
  await add('ada');
  await look();
  state.owner = asked[0]!.proof.value;
  state.now += dayMs;
  await look();
  state.owner = undefined;
  state.now += dayMs;
  assert.equal(await look(), false);
  const failingSince = state.now;
  assert.equal((await domainAt(db, name))?.failingSince, failingSince);
  state.now += graceMs.absent - 1;
  await look();
  assert.ok(await domainAt(db, name));
  state.now += dayMs;
  assert.equal(await look(), true);
  assert.equal(await domainAt(db, name), undefined);
  assert.equal((await domainsOfDeployment(db, 'ada'))[0]?.releasedBecause, 'unproven');
  await db.destroy();
});

test('a healthy name is not checked again the same day', async () => {
  const { db, state, asked, look, add } = await world();
  await add('ada');
  await look();
  state.owner = asked[0]!.proof.value;
  state.now += dayMs;
  await look();
  state.now += dayMs - 1;
  await look();
  assert.equal(asked.length, 2);
  await db.destroy();
});
