import { after } from 'node:test';
import fc from 'fast-check';
import { startPostgres } from '../support/postgres.ts';
import { storeContract } from './store/store.ts';

// Fewer runs, because each statement is a round trip here.
fc.configureGlobal({ numRuns: 10 });

await using opening = new AsyncDisposableStack();
const postgres = opening.use(await startPostgres({ patienceMs: 60_000 }));
const open = opening.move();
after(() => open.disposeAsync());

storeContract('PostgreSQL', postgres.openStore, { isShared: true });
