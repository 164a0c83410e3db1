/** Ends the PostgreSQL of a test's own folder and removes that: `node end-postgres.ts FOLDER`. */
import { endPostgres } from './support/postgres.ts';

await endPostgres(process.argv[2]!);
