import { Kysely } from 'kysely';
import { openSqlite } from '../../src/store/database.ts';
import { sqliteDialect } from '../../src/store/dialect/sqlite.ts';
import { onlyAddsContract } from './store/only-adds.ts';
import { storeContract } from './store/store.ts';

storeContract('SQLite', () => openSqlite(':memory:'), { isShared: false });
onlyAddsContract('SQLite', async () => new Kysely({ dialect: sqliteDialect(':memory:') }));
