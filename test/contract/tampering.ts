/** Changes that another client makes to a workload are observed, and reverted by another start. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashListed, hashObserved, type ObservedWorkload } from '../../src/deployment/workload/workload.ts';
import type { Stage } from './engine.ts';
import { identityPath, port } from './program.ts';

const kinds = ['paused', 'off-network', 'on-other-network', 'limits'] as const;

export function tamperingContract({ contractor, newScene }: Stage): void {
  for (const kind of kinds)
    test(`the tampering ${kind} is observed, and another start reverts it`, async (t) => {
      const { engine, tamper, hasRealAddresses } = contractor();
      if (!tamper) return t.skip('this engine reverts such changes itself');
      const scene = newScene();
      const web = scene.workload('web', { env: { IDENTITY: 'still here' } });
      await scene.start(web);
      const before = await scene.ready(web);
      await tamper(web.name, kind);
      const isUnreachable = kind === 'paused' || kind === 'off-network';
      const isSeen = ({ tampering, isReady }: ObservedWorkload) => tampering === kind && isReady !== isUnreachable;
      const seen = await scene.until(web, isSeen);
      assert.equal(seen.address, kind === 'off-network' ? undefined : before.address);
      const listed = (await engine.listOwned()).filter(({ deploymentId }) => deploymentId === scene.id);
      assert.equal(hashListed(listed), hashObserved(await scene.observe()), 'a listing shows it too');

      for (const _ of ['once', 'again']) await scene.start(web);
      const after = await scene.ready(web);
      assert.deepEqual([after.tampering, after.address, after.restarts], [undefined, before.address, before.restarts]);
      if (!hasRealAddresses) return;
      const answer = await fetch(`http://${after.address}:${port}${identityPath}`);
      assert.equal(await answer.text(), 'still here\n');
    });

  test('a paused workload can be removed', async (t) => {
    const { tamper } = contractor();
    if (!tamper) return t.skip('this engine reverts such changes itself');
    const scene = newScene();
    const web = scene.workload('web');
    await scene.start(web);
    await scene.ready(web);
    await tamper(web.name, 'paused');
    await scene.execute({ kind: 'remove', name: web.name });
    assert.equal(await scene.find(web), undefined);
  });
}
