/** A deployment that does not end, without an account that has it. */
import type { Berth, Started } from './berth.ts';

/** As claiming it would. */
export async function claim(berth: Berth, app: Started): Promise<void> {
  const { id } = await berth.row(app);
  const claimed = { claimedAt: Date.now(), expiresAt: null };
  await berth.query((db) => db.updateTable('deployments').set(claimed).where('id', '=', id).execute());
}
