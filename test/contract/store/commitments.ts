import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import type { Kysely } from 'kysely';
import { sealWith } from '../../../src/lib/seal.ts';
import { addUpCommitments, committedInAll, recountCommitments } from '../../../src/store/commitments.ts';
import {
  addDeployment,
  deploymentById,
  endAll,
  writeIntent,
  writeObservation,
} from '../../../src/store/deployments.ts';
import { makeDue } from '../../../src/store/leases.ts';
import { addRevision, forgetConfigurations, forgetSuperseded } from '../../../src/store/revisions.ts';
import type { Tables } from '../../../src/store/rows.ts';
import { addSession } from '../../../src/store/sessions.ts';
import { deploymentOf, pod, specOf } from '../../support/deployments.ts';
import type { OpenStore } from './store.ts';

const seal = sealWith('k');

export function commitmentsContract(open: OpenStore): void {
  let db: Kysely<Tables>;
  beforeEach(async () => {
    db = await open();
    await addSession(db, { id: 'session', token: 'token', createdAt: 0 });
  });
  afterEach(async () => await db.destroy());

  const volume = { name: 'data', isShared: false, sizeBytes: 2 ** 20, mountPath: '/data' };
  const specOfSize = (size: number) =>
    specOf(pod('web', { replicas: 1 + (size % 3), volumes: size % 2 === 0 ? [] : [volume] }));
  const which = fc.nat({ max: 3 });
  const act = fc.oneof(
    fc.record({ kind: fc.constant('start' as const), size: fc.nat({ max: 5 }) }),
    fc.record({ kind: fc.constant('update' as const), which, size: fc.nat({ max: 5 }) }),
    fc.record({ kind: fc.constant('serve' as const), which, back: fc.nat({ max: 2 }) }),
    fc.record({ kind: fc.constantFrom('gone', 'forget', 'lost-lease', 'undone'), which }),
    fc.record({ kind: fc.constantFrom('end-all', 'recount') }),
  );

  test('the sum that is kept is the sum of all, whatever happens to them', async () => {
    let sums = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 25, size: 'max' }), async (acts) => {
        await db.deleteFrom('deployments').execute();
        await recountCommitments(db);
        const ids: string[] = [];
        for (const each of acts) {
          await perform(each, ids);
          const sum = await addUpCommitments(db);
          assert.deepEqual(await committedInAll(db), sum, each.kind);
          if (sum.memoryBytes > 0) sums++;
        }
      }),
      { numRuns: Math.min(60, fc.readConfigureGlobal().numRuns ?? 60) },
    );
    assert.ok(sums > 0, 'nothing was ever committed');
  });

  type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

  async function perform(each: Act, ids: string[]): Promise<void> {
    if (each.kind === 'start') {
      const id = `d${ids.length}`;
      ids.push(id);
      await db.transaction().execute(async (db) => {
        await addDeployment(db, deploymentOf({ id, label: id, applicationName: id }));
        await makeDue(db, id, 0);
        await db.updateTable('leases').set({ token: 'ours' }).where('deploymentId', '=', id).execute();
        await revise(db, id, 1, each.size);
      });
      return;
    }
    if (each.kind === 'end-all') return await db.transaction().execute((db) => endAll(db, 9));
    if (each.kind === 'recount') return await recountCommitments(db);
    if (!('which' in each)) return;
    const deployment = await deploymentById(db, ids[each.which % Math.max(1, ids.length)] ?? '');
    if (!deployment) return;
    const { id, revision } = deployment;
    const observe = (observation: Parameters<typeof writeObservation>[3], token = 'ours') =>
      db.transaction().execute((db) => writeObservation(db, deployment, token, observation));
    if (each.kind === 'update' && deployment.goneAt === null)
      await db.transaction().execute(async (db) => {
        await revise(db, id, revision + 1, each.size);
        await writeIntent(db, id, { revision: revision + 1 });
      });
    if (each.kind === 'undone')
      await assert.rejects(
        db.transaction().execute(async (db) => {
          await writeObservation(db, deployment, 'ours', { goneAt: 3 });
          throw new Error('undone');
        }),
        /undone/,
      );
    if (each.kind === 'serve') await observe({ servingRevision: Math.max(1, revision - each.back) });
    if (each.kind === 'lost-lease') await observe({ goneAt: 5 }, 'another');
    if (each.kind === 'gone') await observe({ goneAt: 5 });
    if (each.kind === 'forget') {
      await forgetSuperseded(db, deployment, []);
      if (deployment.goneAt !== null) await forgetConfigurations(db, seal, deployment);
    }
  }

  async function revise(db: Parameters<typeof addRevision>[0], id: string, number: number, size: number) {
    await addRevision(db, seal, id, { number, spec: specOfSize(size), document: '', createdAt: 0, askedBy: 'session' });
  }

  test('what another release has written without keeping the sum is counted when somebody looks', async () => {
    await addDeployment(db, deploymentOf({ id: 'shop' }));
    await revise(db, 'shop', 1, 1);
    const sum = await committedInAll(db);
    await db.deleteFrom('commitmentTotals').execute();
    await db.deleteFrom('commitments').execute();
    await recountCommitments(db);
    assert.deepEqual(await committedInAll(db), sum);
    await db.transaction().execute((db) => endAll(db, 9));
    assert.equal((await committedInAll(db)).memoryBytes, 0);
  });
}
