import { after } from 'node:test';
import fc from 'fast-check';
import { Kysely } from 'kysely';
import { parsePostgresUrl } from '../../src/lib/postgres-address.ts';
import { postgresDialect } from '../../src/store/dialect/postgres.ts';
import { startPostgres } from '../support/postgres.ts';
import { onlyAddsContract } from './store/only-adds.ts';
import { storeContract } from './store/store.ts';

// What is generated is the same; here each statement is a round trip.
fc.configureGlobal({ numRuns: 10 });

await using opening = new AsyncDisposableStack();
const postgres = opening.use(await startPostgres({ patienceMs: 60_000 }));
const open = opening.move();
after(() => open.disposeAsync());

storeContract('PostgreSQL', postgres.openStore, { isShared: true });

let opened = 0;
onlyAddsContract('PostgreSQL', async () => {
  const name = `shape${++opened}`;
  await postgres.ask(`create database ${name}`);
  const settings = { ...parsePostgresUrl(postgres.url(name)), connections: 1 };
  return new Kysely({ dialect: await postgresDialect(settings, true) });
});
