/** Custom domains with two processes on one PostgreSQL. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Finding } from '../../src/deployment/domain/domain-finding.ts';
import { afterCheck } from '../../src/deployment/domain/domain-state.ts';
import type { DomainQuery } from '../../src/domains/lookup.ts';
import { createDomainChecks } from '../../src/domains/open.ts';
import { parsePostgresUrl } from '../../src/lib/postgres-address.ts';
import type { HeldDuty } from '../../src/lib/rounds.ts';
import { addDeployment } from '../../src/store/deployments.ts';
import { domainAt, domainOfAccount, isHeldByOther, putDomain, recordDomainCheck } from '../../src/store/domains.ts';
import { createDuty } from '../../src/store/duties.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { routesSince } from '../../src/store/routes.ts';
import { addSession } from '../../src/store/sessions.ts';
import { write } from '../../src/store/transaction.ts';
import { addAccount } from '../support/accounts.ts';
import { deploymentOf } from '../support/deployments.ts';
import { startPostgres } from '../support/postgres.ts';

const dayMs = 24 * 3_600_000;
const name = 'shop.example.com';
const endpoints = [{ path: '/', address: '10.0.0.1', port: 80 }];
const postgres = await startPostgres();
const databaseUrl = parsePostgresUrl(postgres.url('store'));
const settings = { dataDir: '/nowhere', databaseUrl, databaseConnections: 3 };
let [ours, theirs]: [Store?, Store?] = [];

before(async () => {
  await (await postgres.openStore()).destroy();
  [ours, theirs] = [await openStore(settings), await openStore(settings)];
  for (const id of ['ada', 'bob']) {
    await addAccount(ours.db, id);
    await addSession(ours.db, { id, token: id, createdAt: 0, accountId: id });
    const deployment = { id, label: `${id}-shop`, environment: id, sessionId: id, claimedAt: 0, expiresAt: null };
    await addDeployment(ours.db, deploymentOf({ ...deployment, endpoints }));
  }
});
after(async () => {
  for (const store of [ours, theirs]) await store?.[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

const put = (db: Store['db'], accountId: string, domain: string) =>
  write(db, 'all', (db) =>
    putDomain(db, { name: domain, accountId, deploymentId: accountId, redirectTo: null, now: 1 }),
  );

test('one of two processes looks names up, the edges of both hear of it, and the other goes on when the first is gone', async () => {
  const clock = { now: 1 };
  const requested: string[] = [];
  let proof: string | undefined;
  const common = { now: () => clock.now, random: () => 0, installation: 'i', appsDomain: 'apps.test' };
  const duties = new Map<string, HeldDuty>();
  /** As a process of that name; whether something has turned. */
  const look = async (store: Store, holder: string) => {
    const parts = { db: store.db, name: 'domains', forMs: 60_000, process: undefined, now: common.now };
    const duty = duties.get(holder) ?? createDuty(parts);
    duties.set(holder, duty);
    let hasTurned = false;
    const lookup = async (question: DomainQuery): Promise<Finding> => {
      requested.push(holder);
      proof ??= question.proof.value;
      const isProven = clock.now > dayMs && proof === question.proof.value;
      const server = 'ns1';
      const said = isProven ? ({ server, said: 'proof' } as const) : ({ server, said: 'nothing' } as const);
      return { proof: [said], direction: { kind: 'here' }, wanted: ['203.0.113.7'] };
    };
    const checking = { ...common, db: store.db, duty, log: { info() {}, error() {} }, lookup };
    await createDomainChecks(checking, () => {
      hasTurned = true;
    }).run();
    return hasTurned;
  };
  await put(theirs!.db, 'ada', name);
  await look(ours!, 'one');
  const { version } = await routesSince(theirs!.db, undefined);
  clock.now = 1 + 30_000;
  assert.equal(await look(theirs!, 'two'), false);
  assert.deepEqual(requested, ['one'], 'the first has the duty');
  // It was killed, and its duty runs out.
  clock.now += dayMs;
  assert.equal(await look(theirs!, 'two'), true);
  assert.deepEqual(requested, ['one', 'two']);
  const { changed } = await routesSince(ours!.db, version);
  assert.deepEqual(
    changed.map(({ id, domains }) => [id, domains]),
    [['ada', [{ name, redirectTo: null, isServed: true }]]],
  );
  // It leaves by itself: the other need not wait.
  await duties.get('two')!.leave();
  clock.now += dayMs + 1;
  await look(ours!, 'one');
  assert.deepEqual(requested, ['one', 'two', 'one']);
});

test('of two accounts that prove a name at the same instant, each in another process, one has it', async () => {
  const domain = 'race.example.com';
  const found: Finding = { proof: [{ server: 'ns1', said: 'proof' }], direction: { kind: 'here' }, wanted: [] };
  const sides = [
    { db: ours!.db, accountId: 'ada' },
    { db: theirs!.db, accountId: 'bob' },
  ];
  await Promise.all(sides.map(({ db, accountId }) => put(db, accountId, domain)));
  await Promise.all(
    sides.map(({ db, accountId }) =>
      write(db, 'all', async (db) => {
        const before = (await domainOfAccount(db, { name: domain, accountId }))!;
        const isFree = !(await isHeldByOther(db, before, 5));
        await recordDomainCheck(db, before, afterCheck(before, found, { now: 5, isFree, random: 0 }));
      }),
    ),
  );
  const owner = (await domainAt(ours!.db, domain))!.accountId;
  const other = owner === 'ada' ? 'bob' : 'ada';
  const lost = await domainOfAccount(theirs!.db, { name: domain, accountId: other });
  assert.deepEqual([lost?.verifiedAt, lost?.finding?.isTaken], [null, true]);
});
