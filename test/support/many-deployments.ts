/** A store with many deployments, each of them due. */

import { openSqlite } from '../../src/store/database.ts';
import { addDeployment } from '../../src/store/deployments.ts';
import { makeDue } from '../../src/store/leases.ts';
import { addSession } from '../../src/store/sessions.ts';
import { deploymentOf } from './deployments.ts';

/** Their ids are in order: `d0000`, `d0001`, … */
export async function manyDeployments(count: number, dueAt: number) {
  const db = await openSqlite(':memory:');
  await addSession(db, { id: 'session', token: 'token', createdAt: 0 });
  const ids = Array.from({ length: count }, (_, index) => `d${String(index).padStart(4, '0')}`);
  await db.transaction().execute(async (db) => {
    for (const id of ids) {
      await addDeployment(db, deploymentOf({ id, label: id, applicationName: id }));
      await makeDue(db, id, dueAt);
    }
  });
  return { db, ids };
}
