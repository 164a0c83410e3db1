/**
 * A PostgreSQL of the test's own: data, socket and process are in a new folder of the temporary files, and no other
 * server of this machine is touched. It goes with the process of the test, also when that is killed.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Kysely, sql } from 'kysely';
import { Client } from 'pg';
import { parsePostgresUrl } from '../../src/lib/postgres-address.ts';
import { wait } from '../../src/lib/wait.ts';
import { openPostgres } from '../../src/store/database.ts';
import type { Tables } from '../../src/store/rows.ts';
import { afterDeath } from '../after-death.ts';

/** Where Debian has the programs of each version. */
const versions = '/usr/lib/postgresql';
/** The data need not outlive the machine, and many servers run at the same time. */
const thrifty = [
  ...['fsync=off', 'full_page_writes=off', 'shared_buffers=16MB', 'autovacuum=off', 'jit=off'],
  ...['wal_level=minimal', 'max_wal_senders=0', 'max_connections=100', 'log_min_messages=fatal'],
];

export type TestPostgres = AsyncDisposable & {
  /** Where data, socket and process are. */
  folder: string;
  /** Returns the URL of a database on it for `BERTH_DATABASE_URL`. */
  url: (database: string) => string;
  /** The database for one test after another: empties it, and opens it with the schema of this version. */
  openStore: () => Promise<Kysely<Tables>>;
  /** Queries it as its owner, in the database `postgres`. */
  ask: <Row>(text: string) => Promise<Row[]>;
  /** At once, as a crash would, or with what is under way broken off in words. */
  stop: (how: 'crash' | 'restart') => Promise<void>;
  start: () => Promise<void>;
};

export type TestPostgresOptions = {
  /** More of postgresql.conf. */
  settings?: readonly string[];
  /** It listens on loopback too. */
  port?: number;
  /** The patience of the opened store, if slowness is not under test. */
  patienceMs?: number;
  /** The caller ends it after a killed test, along with its users. */
  isTakenCareOf?: boolean;
};

export async function startPostgres({
  settings = [],
  port,
  patienceMs,
  isTakenCareOf = false,
}: TestPostgresOptions = {}): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-postgres-'));
  const undertaker = isTakenCareOf ? undefined : afterDeath(['test/end-postgres.ts', folder]);
  const data = join(folder, 'data');
  await giveToPostgres([folder]);
  const owner = await accountOfServer();
  const programs = await postgresPrograms();
  const options = { ...owner, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } };
  // A language with an order of its own: that ours is another one shows.
  const order = ['--locale=C', '--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en-US'];
  await promisify(execFile)(
    join(programs, 'initdb'),
    ['--pgdata', data, '--username=berth', '--auth=trust', '--no-sync', '--no-instructions', ...order],
    options,
  );
  let server: ChildProcess | undefined;
  const listening = port === undefined ? ['listen_addresses='] : ['listen_addresses=127.0.0.1', `port=${port}`];
  const url = (database: string) =>
    `postgresql:///${database}?host=${folder}&user=berth${port === undefined ? '' : `&port=${port}`}`;

  async function ask<Row>(text: string): Promise<Row[]> {
    const client = new Client({ host: folder, user: 'berth', database: 'postgres', port: port ?? 5432 });
    await client.connect();
    try {
      return (await client.query(text)).rows as Row[];
    } finally {
      await client.end();
    }
  }

  async function start(): Promise<void> {
    const given = [...listening, ...thrifty, ...settings].flatMap((setting) => ['-c', setting]);
    server = spawn(join(programs, 'postgres'), ['-D', data, '-k', folder, ...given], { ...options, stdio: 'ignore' });
    while ((await ask('select 1').catch(() => undefined)) === undefined) {
      if (server.exitCode !== null) throw new Error(`PostgreSQL has ended with ${server.exitCode}`);
      await wait(20);
    }
  }

  async function stop(how: 'crash' | 'restart'): Promise<void> {
    const ended = new Promise((resolve) => server?.once('exit', resolve));
    server?.kill(how === 'crash' ? 'SIGQUIT' : 'SIGINT');
    await ended;
  }

  await start();
  return {
    folder,
    url,
    ask,
    start,
    stop,
    async openStore() {
      if ((await ask(`select from pg_database where datname = 'store'`)).length === 0)
        await ask('create database store');
      const db = await openPostgres({
        ...parsePostgresUrl(url('store')),
        connections: 10,
        ...(patienceMs !== undefined && { patienceMs }),
      });
      const tables = (await db.introspection.getTables()).map(({ name }) => sql.table(name));
      await sql`truncate ${sql.join(tables)}`.execute(db);
      return db;
    },
    async [Symbol.asyncDispose]() {
      await endPostgres(folder);
      undertaker?.dismiss();
    },
  };
}

/** Ends the server of a folder at once, and removes both. */
export async function endPostgres(folder: string): Promise<void> {
  const pid = Number((await readFile(join(folder, 'data/postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0]);
  if (pid > 0 && (await isServerOf(pid, folder))) {
    process.kill(pid, 'SIGQUIT');
    while (await isServerOf(pid, folder)) await wait(20);
  }
  await rm(folder, { recursive: true, force: true });
}

/** Another process may have this number now. */
async function isServerOf(pid: number, folder: string): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.includes(join(folder, 'data'));
}

/** Gives the server access to root's files that it must read. */
export async function giveToPostgres(paths: readonly string[]): Promise<void> {
  const owner = await accountOfServer();
  if (owner) for (const path of paths) await chown(path, owner.uid, owner.gid);
}

/** The user of the server: the user of the tests, unless that is root, which PostgreSQL refuses. */
async function accountOfServer(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const name = 'postgres';
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const [, , uid, gid] = lines.find(([known]) => known === name) ?? [];
  if (uid === undefined || gid === undefined) throw new Error(`this machine has no account ${name}`);
  return { uid: Number(uid), gid: Number(gid) };
}

/** The folder of the programs of its newest version that is here. */
export async function postgresPrograms(): Promise<string> {
  const found = (await readdir(versions)).filter((name) => /^\d+$/.test(name)).sort((a, b) => Number(b) - Number(a));
  if (found[0] === undefined) throw new Error(`PostgreSQL is missing in ${versions}`);
  return join(versions, found[0], 'bin');
}
