/**
 * The sign-in library's store, which contains tokens of sign-ins as hashes: a copy of the database cannot be used to
 * sign in, not even together with the key. The library itself sees plain tokens.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { DBAdapter, Where } from '@better-auth/core/db/adapter';
import { hashToken } from '../lib/ids.ts';

const model = 'session';
const field = 'token';

/** The tokens that a request has shown, by their hashes. */
const shown = new AsyncLocalStorage<Map<string, string>>();

/**
 * During `work`, the list of sign-ins contains the tokens, so that the sign-in of the current request can be
 * identified.
 */
export async function cachingTokens<T>(work: () => Promise<T>): Promise<T> {
  return await shown.run(new Map(), work);
}

export function withHashedTokens(adapter: DBAdapter): DBAdapter {
  return {
    ...adapter,
    create: async <T extends Row, R = T>(given: Created<T>) =>
      reported(await adapter.create<T, R>(withData(given, 'data'))),
    update: async <T>(given: Changed) => reported(await adapter.update<T>(withData(withWhere(given), 'update'))),
    updateMany: (given) => adapter.updateMany(withData(withWhere(given), 'update')),
    // A client must know the token itself: a hash is treated as an unknown token.
    findOne: async <T>(given: AdapterQuery) => reported(await adapter.findOne<T>(withWhere(given, hide))),
    findMany: async <T>(given: Parameters<DBAdapter['findMany']>[0]) =>
      (await adapter.findMany<T>(withWhere(given))).map(reported),
    count: (given) => adapter.count(withWhere(given)),
    delete: (given) => adapter.delete(withWhere(given)),
    deleteMany: (given) => adapter.deleteMany(withWhere(given)),
    consumeOne: async <T>(given: AdapterQuery) => reported(await adapter.consumeOne<T>(withWhere(given, hide))),
    incrementOne: async <T>(given: Parameters<DBAdapter['incrementOne']>[0]) =>
      reported(await adapter.incrementOne<T>(withWhere(given))),
    transaction: (callback) => adapter.transaction((inside) => callback(withHashedTokens({ ...adapter, ...inside }))),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: as the library has it
type Row = Record<string, any>;
type Created<T> = {
  model: string;
  data: Omit<T, 'id'>;
  select?: string[] | undefined;
  forceAllowId?: boolean | undefined;
};
type Changed = Parameters<DBAdapter['update']>[0];
type AdapterQuery = Parameters<DBAdapter['findOne']>[0];

function isOfSignIns(given: { model: string }): boolean {
  return given.model === model;
}

function hide(token: string): string {
  const hash = hashToken(token);
  shown.getStore()?.set(hash, token);
  return hash;
}

/** A token from a list is already a hash: tokens have 32 letters, hashes 64 digits. */
function hideOnce(token: string): string {
  return /^[0-9a-f]{64}$/.test(token) ? token : hide(token);
}

function withData<T extends { model: string }, K extends keyof T>(given: T, name: K): T {
  const data = given[name] as Row;
  if (!isOfSignIns(given) || typeof data[field] !== 'string') return given;
  return { ...given, [name]: { ...data, [field]: hide(data[field]) } };
}

function reported<T>(row: T): T {
  const hash = (row as { [field]?: unknown } | null)?.[field];
  const token = typeof hash === 'string' ? shown.getStore()?.get(hash) : undefined;
  return token === undefined ? row : { ...row, [field]: token };
}

function withWhere<T extends { model: string; where?: Where[] | undefined }>(given: T, by = hideOnce): T {
  if (!isOfSignIns(given) || !given.where) return given;
  const where = given.where.map((each) => {
    if (each.field !== field) return each;
    const { value } = each;
    if (typeof value === 'string') return { ...each, value: by(value) };
    return Array.isArray(value) ? { ...each, value: value.map((one) => by(String(one))) } : each;
  });
  return { ...given, where };
}
