import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import type { Kysely } from 'kysely';
import { type Seal, sealWith } from '../../../src/lib/seal.ts';
import { addDeployment } from '../../../src/store/deployments.ts';
import { addIdempotency } from '../../../src/store/idempotency.ts';
import { resealAll, sealedTables } from '../../../src/store/reseal.ts';
import { addRevision, documentOf, revisionOf } from '../../../src/store/revisions.ts';
import type { Tables } from '../../../src/store/rows.ts';
import { copySeed, derivationOf, provideSeed } from '../../../src/store/seeds.ts';
import { addSession } from '../../../src/store/sessions.ts';
import { deploymentOf, pod, specOf } from '../../support/deployments.ts';
import type { OpenStore } from './store.ts';

export function sealedContract(open: OpenStore): void {
  let db: Kysely<Tables>;
  beforeEach(async () => {
    db = await open();
    await addSession(db, { id: 'session', token: 'token', createdAt: 0 });
  });
  afterEach(async () => await db.destroy());

  const spec = specOf(pod('web', { vars: { PASSWORD: 'hunter2' } }));

  async function add(id: string, seal: Seal, revisions = 1): Promise<void> {
    await addDeployment(db, deploymentOf({ id, label: id, applicationName: id }));
    await provideSeed(db, seal, id);
    for (let number = 1; number <= revisions; number++) {
      await addRevision(db, seal, id, { number, spec, document: `${id} ${number}`, createdAt: 0, askedBy: 'session' });
    }
    const row = { keyHash: id, bodyHash: id, deploymentId: id, expiresAt: 1 };
    await addIdempotency(db, { ...row, sessionToken: seal.close(`token of ${id}`) }, 0);
  }

  test('every column of bytes in the schema is resealed', async () => {
    const found = (await db.introspection.getTables())
      .flatMap(({ name, columns }) => columns.map((column) => ({ ...column, path: `${name}.${column.name}` })))
      .filter(({ dataType }) => /^(?:bytea|blob)$/i.test(dataType))
      .map(({ path }) => path)
      .sort();
    const known = sealedTables.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`)).sort();
    assert.deepEqual(found, known);
  });

  test('data sealed with any key is resealed with the newest one, and keeps its meaning', async () => {
    const keys = ['c', 'b', 'a'] as const;
    const plans = fc.array(fc.record({ key: fc.constantFrom(...keys), revisions: fc.integer({ min: 0, max: 70 }) }), {
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        await db.deleteFrom('deployments').execute();
        for (const [index, { key, revisions }] of plan.entries()) await add(`d${index}`, sealWith(key), revisions);
        const seal = sealWith(...keys);
        const generated = () =>
          Promise.all(plan.map(async (_, index) => (await derivationOf(db, seal, `d${index}`))('purpose')));
        const before = await generated();
        let ended = 0;
        const resealed = await resealAll(db, seal, { whenDone: () => ended++ });
        const outdated = plan.filter(({ key }) => key !== 'c').map(({ revisions }) => revisions + 2);
        assert.deepEqual(resealed, { rows: outdated.reduce((sum, rows) => sum + rows, 0), unreadable: 0 });
        assert.equal(ended, 1);

        const alone = sealWith('c');
        for (const [index, { revisions }] of plan.entries()) {
          const id = `d${index}`;
          for (let number = 1; number <= revisions; number++) {
            assert.equal(await documentOf(db, alone, id, number), `${id} ${number}`);
            assert.deepEqual((await revisionOf(db, alone, id, number)).spec, spec);
          }
          const row = await db
            .selectFrom('idempotency')
            .selectAll()
            .where('keyHash', '=', id)
            .executeTakeFirstOrThrow();
          assert.equal(alone.open(row.sessionToken), `token of ${id}`);
          assert.deepEqual((await derivationOf(db, alone, id))('purpose'), before[index]);
        }
        assert.deepEqual(await resealAll(db, alone, { whenDone: () => {} }), { rows: 0, unreadable: 0 });
      }),
      { numRuns: Math.min(15, fc.readConfigureGlobal().numRuns ?? 15) },
    );
  });

  test('what none of the keys opens stays as it is, is counted, and holds up nothing else', async () => {
    await add('lost', sealWith('lost'), 60);
    await add('shop', sealWith('old'), 1);
    const before = await db.selectFrom('revisions').selectAll().where('deploymentId', '=', 'lost').execute();
    const resealed = await resealAll(db, sealWith('new', 'old'), { whenDone: () => {} });
    assert.deepEqual(resealed, { rows: 3, unreadable: 62 });
    assert.deepEqual(await db.selectFrom('revisions').selectAll().where('deploymentId', '=', 'lost').execute(), before);
    assert.equal(await documentOf(db, sealWith('new'), 'shop', 1), 'shop 1');
  });

  test('data that another process seals with the previous key in between is resealed too, before the end', async () => {
    await add('a', sealWith('old'), 60);
    let isLate = false;
    const resealed = await resealAll(db, sealWith('new', 'old'), {
      whenDone: () => {},
      async afterStep() {
        if (!isLate) await add('Z comes before a', sealWith('old'), 1);
        isLate = true;
      },
    });
    assert.deepEqual([isLate, resealed.rows], [true, 62 + 3]);
    assert.equal(await documentOf(db, sealWith('new'), 'Z comes before a', 1), 'Z comes before a 1');
  });

  test('generated values are a deployment’s own, and another’s only if it has the data of that one', async () => {
    const seal = sealWith('k');
    for (const id of ['a', 'b', 'c']) await addDeployment(db, deploymentOf({ id, label: id, applicationName: id }));
    for (const id of ['a', 'b']) await provideSeed(db, seal, id);
    const value = async (id: string) => (await derivationOf(db, seal, id))('purpose');
    const [a, b] = [await value('a'), await value('b')];
    assert.notDeepEqual(a, b);
    await provideSeed(db, seal, 'a');
    assert.deepEqual(await value('a'), a);
    await copySeed(db, 'a', 'c');
    assert.deepEqual(await value('c'), a);
  });

  test('a seed whose key is lost is replaced by the next update, and reading it before that fails', async () => {
    await add('shop', sealWith('lost'));
    const seal = sealWith('k');
    const derive = await derivationOf(db, seal, 'shop');
    assert.throws(() => derive('purpose'), /an unknown key/);
    await provideSeed(db, seal, 'shop');
    assert.equal((await derivationOf(db, seal, 'shop'))('purpose').length, 32);
  });
}
