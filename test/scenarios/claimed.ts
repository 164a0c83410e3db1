/** A deployment that does not end, without an account that has it. */
import { openTables } from '../../src/store/open.ts';
import type { Berth, Started } from './berth.ts';

/** As claiming it would. */
export async function claim(berth: Berth, app: Started): Promise<void> {
  const db = await openTables(berth.settings);
  const { id } = await berth.row(app);
  await db.updateTable('deployments').set({ claimedAt: Date.now(), expiresAt: null }).where('id', '=', id).execute();
  await db.destroy();
}
