/** One fault of the drill, and how it is run: writes before, during and after it, and the time until all is well. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Berth, Started } from '../scenarios/berth.ts';
import type { FaultResult } from './fault-table.ts';
import { numbersOf, type Writer, writeNumbers } from './keeper.ts';

export type Scene = { berth: Berth; app: Started };

export type Fault = {
  name: string;
  /** Makes the fault, and repairs what an operator has to repair. Returns what was seen, if that is not in the log or the events. */
  strike(scene: Scene, repaired: () => void): Promise<string | undefined>;
  /** More than that the application runs and takes writes. */
  isMended?(scene: Scene): Promise<boolean>;
};

const patienceMs = 150_000;

export async function runFault(fault: Fault, scene: Scene): Promise<FaultResult> {
  const { berth, app } = scene;
  const writer = writeNumbers(berth, app);
  try {
    await within(patienceMs, async () => writer.acknowledged() >= 10);
    const logged = berth.log().length;
    const reported = (await berth.events(app)).length;
    let struckAt = performance.now();
    const repaired = () => {
      struckAt = performance.now();
    };
    const said = await fault.strike(scene, repaired).catch((error: Error) => error);
    const isWell = !(said instanceof Error) && (await within(patienceMs, () => isRecovered(fault, scene, writer)));
    const recoveredMs = isWell ? performance.now() - struckAt : null;
    await writer.stop();
    const lost = await lostOf(scene, writer.acknowledged());
    const message = said instanceof Error ? said.message : (said ?? (await seenSince(scene, logged, reported)));
    return { fault: fault.name, acknowledged: writer.acknowledged(), lost, recoveredMs, message };
  } finally {
    await writer.stop();
  }
}

async function isRecovered(fault: Fault, scene: Scene, writer: Writer): Promise<boolean> {
  const before = writer.acknowledged();
  if (fault.isMended && !(await fault.isMended(scene))) return false;
  if ((await scene.berth.status(scene.app))?.health !== 'running') return false;
  return await within(5_000, async () => writer.acknowledged() > before);
}

async function lostOf({ berth, app }: Scene, acknowledged: number): Promise<number> {
  let kept: Set<number> | undefined;
  await within(patienceMs, async () => {
    kept = await numbersOf(berth, app);
    return kept !== undefined;
  });
  return Array.from({ length: acknowledged }, (_, index) => index + 1).filter((number) => !kept?.has(number)).length;
}

/** The first new warning of the log since then, or the last event of the application. */
async function seenSince({ berth, app }: Scene, logged: number, reported: number): Promise<string> {
  const earlier = new Set(warningsIn(berth.log().slice(0, logged)));
  const [warning] = warningsIn(berth.log().slice(logged)).filter((line) => !earlier.has(line));
  if (warning !== undefined) return warning;
  const events = (await berth.events(app)).slice(reported).filter((event) => !/^\d+$/.test(event));
  // Operations are more informative than states of pods.
  return events.find((event) => event.includes(', ')) ?? events[0] ?? 'nothing: the service mends it';
}

function warningsIn(log: string): string[] {
  const lines = log.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
  return lines.flatMap((line) => {
    const { level, msg, err } = JSON.parse(line) as { level: number; msg: string; err?: { message?: string } };
    return level >= 40 ? [err?.message === undefined ? msg : `${msg}: ${err.message}`] : [];
  });
}

/** Whether `look` answers true in that time. An error is a no. */
export async function within(ms: number, look: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + ms;
  while (performance.now() < until) {
    if (await look().catch(() => false)) return true;
    await delay(100);
  }
  return false;
}
