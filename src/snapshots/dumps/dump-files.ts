/**
 * Dumps of databases by their own tools: files in a folder, one for each database and one that tells which they are. They
 * are written by containers that may lie, and read to them again.
 */
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
import { runTool } from './run-tool.ts';

/** `workload`: where the database runs. `withinMs`: for each run of a tool. */
export type Dumping = { exec: Exec; workload: WorkloadName; withinMs: number; stop: AbortSignal };

/** Where those of a pod are, below the folder that is kept. */
export function pathOfDump({ pod }: LoadedDump): string {
  return join('dumps', pod);
}

const mostListed = 200_000;
const listName = 'databases.json';
const fileName = (at: number) => `${at}.sql`;

/** @returns how many bytes it has. Throws SnapshotFault, also where all databases would have more than `mostBytes`. */
export async function writeDump(
  dump: LoadedDump,
  folder: string,
  dumping: Dumping & { mostBytes: number },
): Promise<number> {
  const place = join(folder, pathOfDump(dump));
  await mkdir(place, { recursive: true, mode: 0o700 });
  const tools = databaseTools[dump.kind];
  const databases = await listDatabases(dump, tools, dumping);
  let written = 0;
  for (const [at, database] of databases.entries()) {
    const left = dumping.mostBytes - written;
    written += await writeOne(tools, database, join(place, fileName(at)), { ...dumping, mostBytes: left });
  }
  await writeFile(join(place, listName), databases.map((each) => `${JSON.stringify(each)}\n`).join(''));
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
  await runTool(list, { ...dumping, take, mostBytes: mostListed });
  try {
    return databasesIn(text);
  } catch (cause) {
    throw new SnapshotFault(`The database of ${pod} does not say which databases it has.`, { cause });
  }
}

/** A status of 0 says nothing: what is whole ends as its tool ends it. */
async function writeOne(
  tools: DatabaseTools,
  database: DumpedDatabase,
  path: string,
  dumping: Dumping & { mostBytes: number },
): Promise<number> {
  await using file = await open(path, 'wx', 0o600);
  let written = 0;
  let last = Buffer.alloc(0);
  const take = async (piece: Uint8Array) => {
    await file.writeFile(piece);
    written += piece.length;
    last = Buffer.concat([last, piece]).subarray(-1000);
  };
  const tool = tools.dump(database);
  await runTool(tool, { ...dumping, take });
  if (!tools.ending.test(last.toString('utf8')))
    throw new SnapshotFault(`What ${tool.what} has written is incomplete.`);
  return written;
}

/** Puts what is in a folder in the place of what the databases have. What was put there before is put there again. */
export async function loadDump(dump: LoadedDump, folder: string, dumping: Dumping): Promise<void> {
  const place = join(folder, pathOfDump(dump));
  const tools = databaseTools[dump.kind];
  const databases = databasesIn(await readFile(join(place, listName), 'utf8'));
  const take = async ({ tool, input }: LoadStep) => {
    const given =
      'sql' in input ? [Buffer.from(input.sql, 'utf8')] : createReadStream(join(place, fileName(input.database)));
    await runTool(tool, { ...dumping, input: given as AsyncIterable<Uint8Array>, take() {}, mostBytes: mostListed });
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
