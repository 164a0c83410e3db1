/** A shop with one volume, of which snapshots are requested, and exist as if they had been taken. */
import { recordTaken } from '../../src/store/snapshots.ts';
import { shopYaml, testApi } from './api.ts';

export const shopVolumes = '      volumes: [{ name: data, size: 16Mi, mountPath: /data }]\n';

export type SnapshotShop = Awaited<ReturnType<typeof startSnapshotShop>>;

export async function startSnapshotShop() {
  const api = await testApi();
  let looked = 0;
  api.service.snapshots = { wake: () => void looked++ };
  const started = await api.postYaml('/startUserDeployment', shopYaml + shopVolumes);
  const sessionToken: string = started.body.sessionToken;
  const named = (more: object = {}) => ({ applicationName: 'shop', sessionToken, ...more });
  const create = () => api.postJson('/createSnapshot', named());
  return {
    api,
    sessionToken,
    named,
    create,
    /** How often the snapshot worker was notified. */
    looks: () => looked,
    listed: async () => (await api.get(`/getSnapshots?applicationName=shop&sessionToken=${sessionToken}`)).body,
    claim: () => api.service.db.updateTable('deployments').set({ claimedAt: 1, expiresAt: null }).execute(),
    /** @returns the id of one that is there. */
    async taken(totalBytes = 100): Promise<string> {
      const { body } = await create();
      const { id } = body.snapshot;
      const sizes = [{ volume: 'web-data', sizeBytes: 2 ** 24 }];
      const at = { placeId: `place-${id}`, takenAt: api.clock.now, volumes: sizes };
      await recordTaken(api.service.db, id, { ...at, totalBytes, addedBytes: totalBytes, pausedMs: 3 });
      return id;
    },
  };
}
