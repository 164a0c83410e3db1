/** One service after another is killed with kill -9 at a steady beat, and started again at once. */
import { wait } from '../../src/lib/wait.ts';
import type { Berth } from './berth.ts';

/** A service that is killed again and again. */
export type Victim = {
  plane: Berth;
  /** How often it was killed. */
  kills: number;
  /** When it was killed, while it does not serve again. */
  killedAt: number | undefined;
};

export type KillRhythm = {
  everyMs: number;
  /** So many others have to serve at a kill, which waits for them. */
  others: number;
  /** Called after each kill. */
  isEnough: (kills: number) => boolean;
};

export type Kills = {
  kills: number;
  /** The number of those that waited for others to serve, because too few did at the beat. */
  late: number;
  /** From each kill until that service took requests again. */
  awayMs: number[];
};

/** The victims that serve, but for those that have been killed and are not back. */
export function serving(victims: readonly Victim[]): Victim[] {
  return victims.filter(({ killedAt }) => killedAt === undefined);
}

/** All of them serve, before and after. The one that has served longest is next. */
export async function killInTurn(
  victims: readonly Victim[],
  { everyMs, others, isEnough }: KillRhythm,
): Promise<Kills> {
  const report: Kills = { kills: 0, late: 0, awayMs: [] };
  const begunAt = performance.now();
  const turns = [...victims];
  const failures: unknown[] = [];
  const starting = new Set<Promise<void>>();

  async function startAgain(victim: Victim): Promise<void> {
    await victim.plane.serve();
    report.awayMs.push(Math.round(performance.now() - victim.killedAt!));
    victim.killedAt = undefined;
    turns.splice(turns.indexOf(victim), 1);
    turns.push(victim);
  }

  for (let beat = 0; report.kills === 0 || !isEnough(report.kills); beat++) {
    await wait(Math.max(0, begunAt + beat * everyMs - performance.now()));
    const isLate = serving(victims).length <= others;
    while (serving(victims).length <= others && failures.length === 0) await wait(20);
    if (failures.length > 0) break;
    const victim = turns.find(({ killedAt }) => killedAt === undefined)!;
    victim.killedAt = performance.now();
    victim.kills++;
    report.kills++;
    if (isLate) report.late++;
    await victim.plane.end('SIGKILL');
    const start = startAgain(victim)
      .catch((error) => void failures.push(error))
      .finally(() => starting.delete(start));
    starting.add(start);
  }
  await Promise.all(starting);
  if (failures.length > 0) throw failures[0];
  return report;
}
