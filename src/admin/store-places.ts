/** Targets for a move of an installation: a PostgreSQL URL, or an SQLite file. */
import { resolve } from 'node:path';
import type { Kysely } from 'kysely';
import { type PostgresAddress, parsePostgresUrl } from '../lib/postgres-address.ts';
import { openPostgres, openSqlite } from '../store/database.ts';
import { databaseFile, type StoreSettings } from '../store/open.ts';
import type { Tables } from '../store/rows.ts';

export type StorePlace = { kind: 'postgres'; address: PostgresAddress; url: string } | { kind: 'sqlite'; file: string };

/**
 * PURE. Throws an error for people. It also refuses passwords, because arguments of a command are visible to all users.
 */
export function readPlace(text: string): StorePlace {
  if (!/^[a-z]+:\/\//i.test(text)) {
    if (text === '') throw new Error('must be postgresql://… or the file of a SQLite database');
    return { kind: 'sqlite', file: resolve(text) };
  }
  const address = parsePostgresUrl(text);
  if (address.password !== undefined)
    throw new Error(
      'must have no password: all users of this machine see the words of a command. Use PGPASSWORD or ~/.pgpass',
    );
  return { kind: 'postgres', address, url: text };
}

export function placeOf({ databaseUrl, ...settings }: StoreSettings): string {
  return databaseUrl ? nameOf(databaseUrl) : databaseFile({ ...settings });
}

/** The name in messages. */
export function placeName(place: StorePlace): string {
  return place.kind === 'sqlite' ? place.file : nameOf(place.address);
}

function nameOf({ host, port, database, user }: PostgresAddress): string {
  return `PostgreSQL database ${database ?? user ?? ''} at ${host}:${port}`.replace('  ', ' ');
}

/** Made where it is not there. Throws StartError where a server cannot be used. Close it with `destroy`. */
export async function openPlace(place: StorePlace): Promise<Kysely<Tables>> {
  if (place.kind === 'sqlite') return await openSqlite(place.file, 'make');
  return await openPostgres({ ...place.address, connections: 2, setting: '--to' }, 'make');
}
