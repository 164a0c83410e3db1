import { openSqlite } from '../../src/store/database.ts';
import { storeContract } from './store/store.ts';

storeContract('SQLite', () => openSqlite(':memory:'), { isShared: false });
