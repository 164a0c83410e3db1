/** The conditions of queries against the pure rules, over generated deployments. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { Kysely } from 'kysely';
import { type Deployment, deploymentStates, isActive, isPastLimit } from '../../../src/deployment/deployment.ts';
import { sealWith } from '../../../src/lib/seal.ts';
import {
  activeDeployments,
  activeDeploymentsOfAccount,
  addDeployment,
  pastLimitOfName,
} from '../../../src/store/deployments.ts';
import { addingOrigin, suspects, usageOfClient } from '../../../src/store/origins.ts';
import { addRevision } from '../../../src/store/revisions.ts';
import type { Tables } from '../../../src/store/rows.ts';
import { addSession } from '../../../src/store/sessions.ts';
import { deploymentOf, pod, specOf } from '../../support/deployments.ts';
import type { OpenStore } from './store.ts';

export function activeContract(open: OpenStore): void {
  const client = { address: '192.0.2.1', client: '192.0.2.1' };
  const seal = sealWith('a secret of the tests');

  /** Few instants, so that most of them meet: before, at and after one another. */
  const instant = fc.integer({ min: 1, max: 4 });
  const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
  const fields = fc.record({
    state: fc.constantFrom(...deploymentStates),
    expiresAt: orNull(instant),
    heldAt: orNull(instant),
    removedAt: orNull(instant),
    claimedAt: orNull(instant),
    suspendedAt: orNull(instant),
    goneAt: orNull(instant),
  });

  let db: Kysely<Tables>;
  before(async () => {
    db = await open();
    // The rows have columns that only the sign-in library uses.
    const then = new Date(0).toISOString();
    const ada = {
      id: 'ada',
      name: 'Ada',
      email: 'ada@example.com',
      emailVerified: 1,
      createdAt: then,
      updatedAt: then,
    };
    await db.insertInto('accounts').values(ada).execute();
    await addSession(db, { id: 'session', token: 'token', createdAt: 0, accountId: ada.id });
  });
  after(async () => await db.destroy());

  test('what the database finds active, or past its time limit, is what the pure rules say', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fields, { maxLength: 12 }), instant, async (generated, now) => {
        const deployments = generated.map((fields, number) => {
          const id = `shop-${String(number).padStart(2, '0')}`;
          return deploymentOf({ id, label: id, applicationName: id, ...fields });
        });
        await store(deployments);
        const idsOf = (chosen: { id: string }[]) => chosen.map(({ id }) => id);
        const active = deployments.filter((deployment) => isActive(deployment, now));
        assert.deepEqual(idsOf(await activeDeployments(db, 'session', now)), idsOf(active));
        assert.deepEqual(idsOf(await activeDeploymentsOfAccount(db, 'ada', now)), idsOf(active));
        assert.deepEqual(idsOf(await suspects(db, now)), idsOf(active));
        const { deployments: counted } = await usageOfClient(db, client.client, now);
        assert.equal(counted, active.filter(({ claimedAt }) => claimedAt === null).length);
        const pastLimit = deployments.filter(
          (deployment) =>
            deployment.removedAt === null && deployment.state !== 'expired' && isPastLimit(deployment, now),
        );
        const found = deployments.map(({ applicationName }) => pastLimitOfName(db, 'session', applicationName, now));
        assert.deepEqual((await Promise.all(found)).flat(), idsOf(pastLimit));
      }),
    );
  });

  /** All of one session, which is an account's, and from one client; what was there before is forgotten. */
  async function store(deployments: Deployment[]): Promise<void> {
    await db.deleteFrom('deployments').execute();
    for (const deployment of deployments) {
      await addDeployment(db, deployment);
      await addingOrigin(db, deployment.id, client).execute();
      const { revision: number } = deployment;
      const revision = { number, spec: specOf(pod('web')), document: '', createdAt: 0, askedBy: 'session' } as const;
      await addRevision(db, seal, deployment.id, revision);
    }
  }
}
