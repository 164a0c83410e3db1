/**
 * Dumps of databases by their own tools: a file for each database and a list of them. They are written by untrusted
 * containers, and loaded into them again.
 */
import type { LoadedDump } from '../../deployment/snapshot/dump.ts';
import type { WorkloadName } from '../../deployment/workload/workload.ts';
import type { Exec } from '../../engine/exec.ts';
import { SnapshotFault } from '../snapshot-parts.ts';
import {
  type DatabaseTools,
  type DumpedDatabase,
  databasesIn,
  databaseTools,
  type LoadStep,
} from './database-tools.ts';
import { type DumpReader, type DumpWriter, type Fill, fileName, listName, textOf } from './dump-place.ts';
import { runTool } from './run-tool.ts';

/** `workload`: where the database runs. `withinMs`: for each run of a tool. */
export type Dumping = { exec: Exec; workload: WorkloadName; withinMs: number; stop: AbortSignal };

const maxListed = 200_000;

/** @returns the total size in bytes. Throws SnapshotFault if a dump fails or all together exceed `maxBytes`. */
export async function writeDump(
  dump: LoadedDump,
  write: DumpWriter,
  dumping: Dumping & { maxBytes: number },
): Promise<number> {
  const tools = databaseTools[dump.kind];
  const databases = await listDatabases(dump, tools, dumping);
  const list = databases.map((each) => `${JSON.stringify(each)}\n`).join('');
  await write(listName, (take) => take(Buffer.from(list, 'utf8')));
  let written = 0;
  for (const [at, database] of databases.entries()) {
    const left = dumping.maxBytes - written;
    written += await writeOne(tools, database, (fill) => write(fileName(at), fill), { ...dumping, maxBytes: left });
  }
  return written;
}

async function listDatabases(
  { pod }: LoadedDump,
  { list }: DatabaseTools,
  dumping: Dumping,
): Promise<DumpedDatabase[]> {
  const decoder = new TextDecoder();
  let text = '';
  const take = (piece: Uint8Array) => {
    text += decoder.decode(piece, { stream: true });
  };
  await runTool(list, { ...dumping, take, maxBytes: maxListed });
  try {
    return databasesIn(text);
  } catch (cause) {
    throw new SnapshotFault(`The database of ${pod} does not say which databases it has.`, { cause });
  }
}

/** An exit code of 0 is not sufficient. A complete dump has the tool's own end marker. */
async function writeOne(
  tools: DatabaseTools,
  database: DumpedDatabase,
  write: (fill: Fill) => Promise<void>,
  dumping: Dumping & { maxBytes: number },
): Promise<number> {
  let written = 0;
  let last = Buffer.alloc(0);
  await write(async (keep, signal) => {
    const take = async (piece: Uint8Array) => {
      await keep(piece);
      written += piece.length;
      last = Buffer.concat([last, piece]).subarray(-1000);
    };
    const tool = tools.dump(database);
    const stop = signal ? AbortSignal.any([dumping.stop, signal]) : dumping.stop;
    await runTool(tool, { ...dumping, stop, take });
    if (!tools.ending.test(last.toString('utf8'))) throw new SnapshotFault(`The output of ${tool.what} is incomplete.`);
  });
  return written;
}

/** Reads all data without using it, so that unreadable data is found before any change. */
export async function readThrough(read: DumpReader): Promise<void> {
  const databases = databasesIn(await textOf(read(listName)));
  for (const at of databases.keys()) for await (const _ of read(fileName(at)));
}

/** Replaces the contents of the databases with a dump. Loading the same dump again is safe. */
export async function loadDump(dump: LoadedDump, read: DumpReader, dumping: Dumping): Promise<void> {
  const tools = databaseTools[dump.kind];
  const databases = databasesIn(await textOf(read(listName)));
  const take = async ({ tool, input }: LoadStep) => {
    const given = 'sql' in input ? said(input.sql) : said(input.before ?? '', read(fileName(input.database)));
    await runTool(tool, { ...dumping, input: given, take() {}, maxBytes: maxListed });
  };
  try {
    for (const step of tools.load(databases)) await take(step);
  } catch (error) {
    if (tools.giveUp) await take(tools.giveUp(databases)).catch(() => {});
    throw error;
  }
  const there = new Set((await listDatabases(dump, tools, dumping)).map(({ name }) => name));
  const missing = databases.filter(({ name }) => !there.has(name));
  if (missing.length > 0) throw new SnapshotFault(`The database of ${dump.pod} did not accept the whole dump.`);
}

async function* said(sql: string, then: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = []) {
  yield Buffer.from(sql, 'utf8');
  yield* then;
}
