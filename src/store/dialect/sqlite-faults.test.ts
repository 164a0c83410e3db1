import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { emptyStore } from '../../../test/support/empty-store.ts';
import { addSession } from '../sessions.ts';
import { StoreFault } from '../store-fault.ts';
import { write } from '../transaction.ts';
import { tryToWrite } from '../write-probe.ts';

test('a full disk is the fault of a transaction, and not that nothing is left to be rolled back', async () => {
  await using db = await emptyStore();
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
  // Simulates a full disk: SQLite reports the same error, and rolls the transaction back itself.
  await sql.raw(`pragma max_page_count = ${rows[0]!.page_count}`).execute(db);
  const fill = write(db, 'all', async (db) => {
    for (let index = 0; ; index++)
      await addSession(db, { id: `${index}`, token: 'x'.repeat(100) + index, createdAt: 0 });
  });
  await assert.rejects(fill, (error) => error instanceof StoreFault && error.isFull && error.wasDone === 'no');
  await sql.raw('pragma max_page_count = 1000000').execute(db);
  await addSession(db, { id: 'next', token: 'next', createdAt: 0 });
  await tryToWrite(db, 1);
  assert.equal((await db.selectFrom('sessions').selectAll().execute()).length, 1, 'the transaction wrote nothing');
});
