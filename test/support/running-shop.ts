/** A shop whose container runs in the world of a test's API, where no loop starts any. */
import { createScene } from '../contract/scene.ts';
import type { TestApi } from './api.ts';
import { createTestEngine } from './memory-engine.ts';

/** @returns the session token. */
export async function startShopWeb(api: TestApi): Promise<string> {
  const sessionToken = await api.startShop();
  const { id } = await api.service.db.selectFrom('deployments').selectAll().executeTakeFirstOrThrow();
  api.world.images.set('nginx:1', {});
  const scene = createScene(createTestEngine({ world: api.world }), 'nginx:1', id);
  await scene.start(scene.workload('web', { env: { COLOUR: 'blue' } }));
  return sessionToken;
}
