import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deploymentOf, specOf } from '../../test/support/deployments.ts';
import { emptyStore } from '../../test/support/empty-store.ts';
import { sealWith } from '../lib/seal.ts';
import { addDeployment, deploymentById } from '../store/deployments.ts';
import { pulledImages, recordPull } from '../store/pulled-images.ts';
import { addRevision, settleImage } from '../store/revisions.ts';
import { addSession, sessionOfToken } from '../store/sessions.ts';
import { runHousekeeping } from './loop.ts';

const day = 24 * 60 * 60_000;

test('who is gone is forgotten after 30 days with its session; who is there, and what it runs from, is not', async () => {
  const db = await emptyStore();
  for (const id of ['gone', 'there']) {
    await addSession(db, { id, token: id, createdAt: 0 });
    const goneAt = id === 'gone' ? day : null;
    await addDeployment(db, deploymentOf({ id, sessionId: id, label: id, goneAt }));
    await addRevision(db, sealWith('tests'), id, {
      number: 1,
      spec: specOf(),
      document: '',
      createdAt: 0,
      askedBy: 'session',
    });
    await settleImage(db, id, 1, { image: `${id}:1`, reference: `${id}@sha256:1`, by: 'registry' });
  }
  await recordPull(db, ['gone:1', 'there:1'], 0);
  await runHousekeeping(db, 31 * day);
  assert.ok(await deploymentById(db, 'gone'));
  await runHousekeeping(db, 31 * day + 1);
  assert.equal(await deploymentById(db, 'gone'), undefined);
  assert.equal(await sessionOfToken(db, 'gone'), undefined);
  assert.ok(await deploymentById(db, 'there'));
  assert.ok(await sessionOfToken(db, 'there'));
  const images = (await pulledImages(db)).map(({ reference, lastUsedAt }) => [reference, lastUsedAt]);
  assert.deepEqual(images.toSorted(), [
    ['gone:1', 0],
    ['there:1', 31 * day + 1],
  ]);
});
