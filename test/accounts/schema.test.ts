import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getMigrations } from 'better-auth/db/migration';
import { pino } from 'pino';
import { libraryMaker } from '../../src/accounts/sign-in-library.ts';
import { sealWith } from '../../src/lib/seal.ts';
import { openSqlite } from '../../src/store/database.ts';

test('our migrations make every table and column that the sign-in library wants', async () => {
  const db = await openSqlite(':memory:');
  const settings = { baseUrl: new URL('http://localhost:8080'), otherOrigins: [], signUp: 'open' } as const;
  const wiring = {
    db,
    seal: sealWith('k'),
    now: Date.now,
    log: pino({ level: 'silent' }),
    settings: { ...settings, otherOrigins: [] },
  };
  const { options } = libraryMaker(wiring)(false);
  // Its own connection, which is what it can look into.
  const { compileMigrations } = await getMigrations({ ...options, database: { db, type: 'sqlite' } });
  assert.equal(await compileMigrations(), ';');
});
