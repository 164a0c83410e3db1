/**
 * Moves an installation to another database. Both databases are marked first, so that no service starts on either. Then
 * all tables are copied, and both sides are compared. Only then does the copy become the installation. If a call is
 * killed at any time, the next call continues.
 */
import type { Kysely } from 'kysely';
import type { Instant } from '../deployment/deployment.ts';
import { newId } from '../lib/ids.ts';
import { addAuditEntry } from '../store/audit-log.ts';
import {
  clearTables,
  copySome,
  digests,
  isUntouched,
  lastKey,
  type TableDigest,
  type TableShape,
  tableShapes,
} from '../store/copy-tables.ts';
import type { Database } from '../store/database.ts';
import { areOthersOn } from '../store/dialect/dialect.ts';
import { installationId } from '../store/installation.ts';
import type { Tables } from '../store/rows.ts';
import { markMove, type StoreMove, storeMoveOf, unmarkMove } from '../store/store-moves.ts';
import { write } from '../store/transaction.ts';

export type MoveRefusal =
  | { kind: 'refused'; because: 'no-installation' | 'in-use' | 'target-in-use' | 'target-holds-rows' }
  | { kind: 'refused'; because: 'target-holds-this' | 'target-holds-another' | 'overtaken' }
  /** `place`: the database that it was moved to before. */
  | { kind: 'refused'; because: 'moved-elsewhere'; place: string }
  /** The copy differs from its source; the next call makes it again. */
  | { kind: 'refused'; because: 'differs'; tables: string[] };

export type Moved =
  | { kind: 'moved'; isContinued: boolean; rows: number; tables: TableDigest[] }
  /** Earlier; a service may have been at work there since. */
  | { kind: 'moved-before'; at: Instant };

/** The progress of the move, for the operator, and for tests that kill it at a step. */
export type MoveStep =
  | { kind: 'marked' | 'filled' | 'finished' }
  | { kind: 'copied'; table: string; rows: number }
  | { kind: 'compared'; tables: number };

export type Move = {
  from: Kysely<Tables>;
  to: Kysely<Tables>;
  /** Display names of the two stores. */
  places: { from: string; to: string };
  actor: string;
  now: Instant;
  report: (step: MoveStep) => void;
};

export async function migrateStore(move: Move): Promise<Moved | MoveRefusal> {
  const shapes = await tableShapes();
  const begun = await begin(move, shapes);
  if (begun.kind !== 'begun') return begun;
  move.report({ kind: 'marked' });
  const isOurs = await copyAll(move, shapes, begun.mark.run);
  if (!isOurs) return { kind: 'refused', because: 'overtaken' };
  move.report({ kind: 'filled' });
  return await finish(move, shapes, begun);
}

/** Cancels a move: the copy is discarded. Returns the cancelled move, or undefined without one. */
export async function cancelMove(
  db: Kysely<Tables>,
  { actor, now }: { actor: string; now: Instant },
): Promise<StoreMove | undefined> {
  return await write(db, 'all', async (db) => {
    const mark = await storeMoveOf(db);
    if (mark?.side !== 'from') return undefined;
    await unmarkMove(db);
    await addAuditEntry(db, { at: now, actor, action: 'cancel-migrate-store', subject: mark.place, reason: '' });
    return mark;
  });
}

/** `mark`: the mark of the old database. `isContinued`: continues the copy of an earlier call. */
type Begun = { kind: 'begun'; mark: StoreMove; isContinued: boolean };

async function begin(move: Move, shapes: readonly TableShape[]): Promise<Begun | Moved | MoveRefusal> {
  const { from, to, places, actor, now } = move;
  const installation = await installationId(from);
  if (installation === undefined) return { kind: 'refused', because: 'no-installation' };
  const [before, there] = [await storeMoveOf(from), await storeMoveOf(to)];
  const isContinued = before?.side === 'from' && there?.side === 'to' && before.move === there.move;
  if (isContinued && there.isDone) {
    await markMove(from, { ...before, isDone: true });
    return { kind: 'moved-before', at: there.at };
  }
  if (before?.side === 'from' && before.isDone)
    return { kind: 'refused', because: 'moved-elsewhere', place: before.place };
  const obstacle = await obstacleAt(to, installation, there, shapes);
  if (obstacle) return { kind: 'refused', because: obstacle };

  const common = { move: isContinued ? before.move : newId(), installation, run: newId(), at: now, isDone: false };
  const mark: StoreMove = { ...common, side: 'from', place: places.to };
  // The mark is written before the check for other users, so that services that start later refuse to.
  await markMove(from, mark);
  const isInUse = await areOthersOn(from);
  if (isInUse || (await areOthersOn(to))) {
    await (before ? markMove(from, before) : unmarkMove(from));
    return { kind: 'refused', because: isInUse ? 'in-use' : 'target-in-use' };
  }
  if (!isContinued) {
    const entry = { at: now, actor, action: 'migrate-store', subject: places.to, reason: `from ${places.from}` };
    await write(from, 'all', (from) => addAuditEntry(from, entry));
  }
  await write(to, 'all', async (to) => {
    if (!isContinued) await clearTables(to, shapes);
    await markMove(to, { ...common, side: 'to', place: places.from });
  });
  return { kind: 'begun', mark, isContinued };
}

/** Removes an unfinished, abandoned copy of this installation. Everything else stays as it is. */
async function obstacleAt(
  to: Database,
  installation: string,
  there: StoreMove | undefined,
  shapes: readonly TableShape[],
): Promise<'target-holds-this' | 'target-holds-another' | 'target-holds-rows' | undefined> {
  const held = await installationId(to);
  if (held !== undefined) return held === installation ? 'target-holds-this' : 'target-holds-another';
  if (there) return there.installation === installation ? undefined : 'target-holds-another';
  return (await isUntouched(to, shapes)) ? undefined : 'target-holds-rows';
}

/** Returns false if another call took over before the end. */
async function copyAll({ from, to, report }: Move, shapes: readonly TableShape[], run: string): Promise<boolean> {
  let isOurs = true;
  const writeThere = (work: (to: Database) => Promise<void>) =>
    write(to, 'all', async (to) => {
      isOurs = (await storeMoveOf(to))?.run === run;
      if (isOurs) await work(to);
    });
  for (const shape of shapes) {
    let after = await lastKey(to, shape);
    for (;;) {
      const step = await copySome(from, writeThere, shape, after);
      if (!isOurs) return false;
      if (!step) break;
      after = step.last;
      report({ kind: 'copied', table: shape.name, rows: step.rows });
    }
  }
  return true;
}

/** The only writer at this time. Services that start later find a database that is marked as moved. */
async function finish(move: Move, shapes: readonly TableShape[], begun: Begun): Promise<Moved | MoveRefusal> {
  const { from, to, places, report } = move;
  const { mark, isContinued } = begun;
  const copied = await digests(to, shapes);
  return await write(from, 'all', async (from): Promise<Moved | MoveRefusal> => {
    if ((await storeMoveOf(from))?.run !== mark.run) return { kind: 'refused', because: 'overtaken' };
    const tables = await digests(from, shapes);
    report({ kind: 'compared', tables: tables.length });
    const different = tables.filter(({ digest }, index) => digest !== copied[index]!.digest).map(({ name }) => name);
    if (different.length > 0) {
      // Without the mark, the next call treats the copy as one of an abandoned move.
      await unmarkMove(from);
      return { kind: 'refused', because: 'differs', tables: different };
    }
    const installation = await from.selectFrom('installation').selectAll().executeTakeFirstOrThrow();
    await write(to, 'all', async (to) => {
      // This transaction may have been repeated.
      if ((await storeMoveOf(to))?.isDone) return;
      await to.insertInto('installation').values(installation).execute();
      await markMove(to, { ...mark, side: 'to', place: places.from, isDone: true });
    });
    report({ kind: 'finished' });
    await markMove(from, { ...mark, isDone: true });
    return { kind: 'moved', isContinued, rows: tables.reduce((sum, { rows }) => sum + rows, 0), tables };
  });
}
