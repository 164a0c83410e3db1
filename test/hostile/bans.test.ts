/** Banned users return from other addresses of the same line. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ban, listBans, unban } from '../../src/admin/ban-and-unban.ts';
import { inspect } from '../../src/admin/inspect-deployment.ts';
import { clientHeader } from '../../src/api/requests/client-address.ts';
import { apiWithAccounts } from '../accounts/people.ts';
import { shopYaml } from '../support/api.ts';

const requested = (subject: string) => ({ kind: 'address', subject, actor: 'operator', now: Date.UTC(2026, 0, 1, 12) });

test('one that is banned by an address of IPv6 starts nothing from another one of its /64, and keeps nothing there', async () => {
  const api = await apiWithAccounts();
  const { db } = api.service;
  const start = async (address: string) =>
    (await api.postYaml('/startUserDeployment', shopYaml, { [clientHeader]: address })).status;
  assert.equal(await start('2001:db8:7::1'), 200);
  assert.equal(await start('2001:db8:7::2'), 200);
  assert.equal(await start('2001:db8:8::1'), 200);
  const banned = await ban(db, { ...requested('2001:DB8:7::1'), reason: 'attacks' });
  assert.equal(banned.kind === 'banned' && banned.stopped.length, 2);
  for (const address of ['2001:db8:7::1', '2001:db8:7::2', '2001:db8:7:0:ffff::9']) {
    assert.equal(await start(address), 403, address);
  }
  assert.equal(await start('2001:db8:8::1'), 200, 'the neighbour');
  assert.deepEqual(
    (await listBans(db)).map(({ subject }) => subject),
    ['2001:db8:7:0::/64'],
  );
  assert.equal(await unban(db, requested('2001:db8:7::5')), true);
  assert.equal(await start('2001:db8:7::2'), 200);
});

test('a ban of an image stops deployments whose serving revision runs it, after any later updates', async () => {
  const api = await apiWithAccounts();
  const { db } = api.service;
  const { body } = await api.postYaml('/startUserDeployment', shopYaml.replace('nginx:1', 'ghcr.io/acme/miner:1'));
  await db.updateTable('deployments').set({ servingRevision: 1 }).execute();
  const updated = await api.postYaml(`/updateUserDeployment?sessionToken=${body.sessionToken}`, shopYaml);
  assert.equal(updated.status, 200);
  const { id } = await db.selectFrom('deployments').select('id').executeTakeFirstOrThrow();
  const inspected = await inspect(db, id);
  assert.deepEqual(inspected?.images, ['nginx:1', 'ghcr.io/acme/miner:1']);
  const banned = await ban(db, { ...requested('ghcr.io/acme/*'), kind: 'image', reason: 'mines' });
  assert.deepEqual(banned.kind === 'banned' && banned.stopped, [id]);
});
