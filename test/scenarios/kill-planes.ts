/**
 * Services are killed with kill -9 in turn and started again, while visitors ask for applications at the edge of each of
 * them and one application after another is updated, started and removed. By itself for as long as one likes:
 *
 *     node test/scenarios/kill-planes.ts --minutes 5 --visitors 24 --planes 3
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { wait } from '../../src/lib/wait.ts';
import { webYaml } from './applications.ts';
import type { Answer } from './ask.ts';
import type { Berth, Started } from './berth.ts';
import { createPlanes, type Planes } from './planes.ts';

/** What was sent to an application before all edges have let go of it is answered, however late on a busy machine. */
const lingersMs = 4_000;

const yamlOf = (name: string, says: string) => webYaml(name, says, [], lingersMs);

/** A visit that was not answered by its application. */
export type FailedVisit = {
  atMs: number;
  tookMs: number;
  application: string;
  edge: number;
  /** Since the service beside the edge was killed, while it is not back. */
  awayMs: number | undefined;
  what: string;
};

export type KilledPlanes = {
  visits: number;
  failed: FailedVisit[];
  kills: number;
  /** From each kill until that service took requests again. */
  awayMs: number[];
  updates: number;
  removals: number;
};

export type KillingOptions = {
  visitors: number;
  everyMs: number;
  /** Asked after each kill that is over. */
  isEnough: (kills: number) => boolean;
};

/** All of them serve, before and after. */
export async function visitWhileKilled(
  { all }: Planes,
  { visitors, everyMs, isEnough }: KillingOptions,
): Promise<KilledPlanes> {
  const report: KilledPlanes = { visits: 0, failed: [], kills: 0, awayMs: [], updates: 0, removals: 0 };
  const killedAt = new Map<Berth, number>();
  const begunAt = performance.now();
  let isOver = false;

  const started = await Promise.all(
    ['steady', 'still', 'updated'].map((name) => all[0]!.start(yamlOf(name, `${name} 0`))),
  );
  for (const each of started) await all[0]!.reach(each, 'running');
  for (const plane of all)
    for (const { url, applicationName } of started) {
      const { text } = await plane.visit(url);
      if (!text.startsWith(applicationName))
        throw new Error(`${applicationName} answers ${text} before anybody is killed`);
    }

  async function visit(number: number): Promise<void> {
    for (let turn = number; !isOver; turn++) {
      const edge = turn % all.length;
      const plane = all[edge]!;
      const { url, applicationName } = started[Math.floor(turn / all.length) % started.length]!;
      const askedAt = performance.now();
      const killed = killedAt.get(plane);
      const what = await plane.visit(url).then(
        (answer) => (answer.text.startsWith(applicationName) ? undefined : wordsOf(answer)),
        (error: Error) => error.message,
      );
      report.visits++;
      if (what !== undefined)
        report.failed.push({
          ...{ atMs: Math.round(askedAt - begunAt), tookMs: Math.round(performance.now() - askedAt) },
          ...{ application: applicationName, edge, what },
          awayMs: killed === undefined ? undefined : Math.round(askedAt - killed),
        });
      await wait(10);
    }
  }

  /** Whoever is asked may be killed at that moment, and is asked again. */
  async function persist(ask: (plane: Berth) => Promise<boolean>): Promise<void> {
    for (let turn = 0; !isOver; turn++) {
      const plane = all[turn % all.length]!;
      if (!killedAt.has(plane) && (await ask(plane).catch(() => false))) return;
      await wait(50);
    }
  }

  async function update(): Promise<void> {
    const shop = started[2]!;
    for (let revision = 1; !isOver; revision++) {
      const yaml = yamlOf(shop.applicationName, `${shop.applicationName} ${revision}`);
      await persist((plane) => plane.update(shop, yaml).then(() => true));
      await persist(async (plane) => (await plane.visit(shop.url)).text.includes(` ${revision} `));
      report.updates++;
    }
  }

  async function come(): Promise<void> {
    for (let number = 0; !isOver; number++) {
      let passing: Started | undefined;
      await persist(async (plane) => {
        passing = await plane.start(yamlOf(`passing-${number}`, 'passing'));
        return true;
      });
      await persist(async (plane) => (await plane.visit(passing!.url)).status === 200);
      await persist((plane) => plane.remove(passing!).then(() => true));
      report.removals++;
    }
  }

  async function kill(): Promise<void> {
    for (let number = 0; number === 0 || !isEnough(report.kills); number++) {
      const plane = all[number % all.length]!;
      const killed = performance.now();
      killedAt.set(plane, killed);
      await plane.end('SIGKILL');
      await plane.serve();
      killedAt.delete(plane);
      report.kills++;
      report.awayMs.push(Math.round(performance.now() - killed));
      await wait(Math.max(0, everyMs - (performance.now() - killed)));
    }
  }

  const everybody = [...Array.from({ length: visitors }, (_, number) => visit(number)), update(), come()];
  await kill().finally(() => {
    isOver = true;
  });
  await Promise.all(everybody);
  return report;
}

/** Each cause of a 503 has a code, a state or a pause of its own. */
function wordsOf({ status, body, headers, text }: Answer): string {
  const cause = headers['x-berth-state'] ?? body?.code ?? text.slice(0, 60);
  return `${status} ${cause}, again after ${headers['retry-after']} s`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '5' },
      visitors: { type: 'string', default: '24' },
      planes: { type: 'string', default: '3' },
      log: { type: 'string' },
    },
  });
  const until = performance.now() + Number(values.minutes) * 60_000;
  await using planes = await createPlanes(Number(values.planes));
  for (const plane of planes.all) await plane.serve();
  const report = await visitWhileKilled(planes, {
    visitors: Number(values.visitors),
    everyMs: 5_000,
    isEnough: () => performance.now() > until,
  });
  const { failed, awayMs, ...counts } = report;
  console.log(JSON.stringify({ ...counts, failed: failed.length, longestAwayMs: Math.max(...awayMs) }));
  for (const each of failed) console.log(JSON.stringify(each));
  if (values.log !== undefined)
    await writeFile(values.log, planes.all.map((plane, number) => `plane ${number}\n${plane.log()}`).join('\n'));
}
