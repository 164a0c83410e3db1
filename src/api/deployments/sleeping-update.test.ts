import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApi } from '../../../test/support/api.ts';

test('a deployment that sleeps can be updated, previewed and restarted, which wakes it up', async () => {
  const api = await testApi();
  const yaml = (image: string) =>
    `application:\n  name: shop\n  pods:\n    - { name: web, image: "${image}", path: /, servicePorts: [80] }\n`;
  const { body: started } = await api.postYaml('/startUserDeployment', yaml('nginx:1'));
  const { db } = api.service;
  const sleep = () =>
    db.updateTable('deployments').set({ sleep: 'frozen', asleepAt: 1, state: 'running', servingRevision: 1 }).execute();
  const named = { applicationName: 'shop', sessionToken: started.sessionToken };
  await sleep();
  const preview = await api.postYaml(`/previewUserDeployment?sessionToken=${started.sessionToken}`, yaml('nginx:2'));
  assert.equal(preview.status, 200, JSON.stringify(preview.body));
  assert.deepEqual(
    preview.body.pods.map(({ change }: { change: string }) => change),
    ['replaced'],
  );
  for (const ask of [
    () => api.postJson('/restartPod', { ...named, pod: 'web' }),
    () => api.postYaml(`/updateUserDeployment?sessionToken=${started.sessionToken}`, yaml('nginx:2')),
  ]) {
    await sleep();
    const { status, body } = await ask();
    assert.equal(status, 200, JSON.stringify(body));
    const row = await db.selectFrom('deployments').select(['sleep', 'asleepAt']).executeTakeFirstOrThrow();
    assert.deepEqual({ ...row }, { sleep: null, asleepAt: null });
  }
});
