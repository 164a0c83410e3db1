/** A process on a PostgreSQL that takes the lease of a deployment and a duty, sends its id, and lives on: `URL DEPLOYMENT` as arguments. */
import assert from 'node:assert/strict';
import { parsePostgresUrl } from '../../src/lib/postgres-address.ts';
import { createDuty, holderName } from '../../src/store/duties.ts';
import { acquireLeases, makeDue } from '../../src/store/leases.ts';
import { openStore } from '../../src/store/open.ts';
import { write } from '../../src/store/transaction.ts';

const [, , url, deploymentId] = process.argv;
const databaseUrl = parsePostgresUrl(url!);
const { db, process: own, follow } = await openStore({ dataDir: '/nowhere', databaseUrl, databaseConnections: 2 });
await follow({ due() {}, events() {}, routes() {}, edges() {}, counts() {}, onProcessEnd() {} });
while (!own.isSeen()) await new Promise((resolve) => setTimeout(resolve, 5));
await write(db, 'all', async (db) => {
  await makeDue(db, deploymentId!, -1);
  await acquireLeases(db, {
    now: 0,
    leaseMs: 1e9,
    horizonMs: 1e12,
    limit: 1,
    token: holderName({ ...own, isSeen: () => true }),
  });
});
assert.ok(await createDuty({ db, name: `of ${deploymentId}`, forMs: 1e9, process: own, now: () => 0 }).take());
process.once('disconnect', () => process.exit());
process.send!(own.id);
