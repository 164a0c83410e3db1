/**
 * Services are killed with kill -9 in turn and started again, while visitors ask for applications at the edge of each of
 * them, one application after another is updated, and clients start, update, extend and remove their own. By itself for as
 * long as one likes:
 *
 *     node test/scenarios/kill-planes.ts --minutes 5 --clients 50 --visitors 24 --planes 3 --every 5
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import Docker from 'dockerode';
import { wait } from '../../src/lib/wait.ts';
import { buildImage } from '../contract/image.ts';
import { lingeringYaml, webYaml } from './applications.ts';
import { until } from './berth.ts';
import { type KillRhythm, type Kills, killInTurn, serving, type Victim } from './kill-rhythm.ts';
import { beClient, type ClientReport, newClientReport, wordsOf } from './killed-clients.ts';
import { createPlanes, type Planes } from './planes.ts';

/** Requests that were sent before all edges have dropped the application are answered, even late on a busy machine. */
const lingersMs = 4_000;

const yamlOf = (name: string, says: string) => webYaml(name, says, [], lingersMs);

/** A visit that was not answered by its application. */
export type FailedVisit = {
  atMs: number;
  tookMs: number;
  application: string;
  edge: number;
  /** Since the edge's service was killed, while it is not back. */
  awayMs: number | undefined;
  what: string;
};

export type KilledPlanes = Kills & {
  visits: number;
  failed: FailedVisit[];
  updates: number;
  clients: ClientReport;
};

export type KillingOptions = KillRhythm & {
  visitors: number;
  clients: number;
  /** Maximum pause between two intents of a client. */
  pauseMs: number;
};

/** All of them serve, before and after; what clients had is removed. */
export async function visitWhileKilled(
  { all }: Planes,
  { visitors, clients, pauseMs, ...rhythm }: KillingOptions,
): Promise<KilledPlanes> {
  const victims: Victim[] = all.map((plane) => ({ plane, kills: 0, killedAt: undefined }));
  const clientReport = newClientReport();
  const report = { visits: 0, failed: [] as FailedVisit[], updates: 0, clients: clientReport };
  const image = await buildImage(new Docker(), { name: 'contract' });
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
        throw new Error(`${applicationName} answers ${text} before the first kill`);
    }

  async function visit(number: number): Promise<void> {
    for (let turn = number; !isOver; turn++) {
      const edge = turn % victims.length;
      const { plane, killedAt } = victims[edge]!;
      const { url, applicationName } = started[Math.floor(turn / victims.length) % started.length]!;
      const askedAt = performance.now();
      const what = await plane.visit(url).then(
        (answer) => (answer.text.startsWith(applicationName) ? undefined : wordsOf(answer)),
        (error: Error) => error.message,
      );
      report.visits++;
      if (what !== undefined)
        report.failed.push({
          atMs: Math.round(askedAt - begunAt),
          tookMs: Math.round(performance.now() - askedAt),
          application: applicationName,
          edge,
          what,
          awayMs: killedAt === undefined ? undefined : Math.round(askedAt - killedAt),
        });
      await wait(25);
    }
  }

  /** The chosen service may be killed at that moment. The request then goes to another one. */
  async function persist(ask: (plane: Victim['plane']) => Promise<boolean>): Promise<void> {
    for (let turn = 0; !isOver; turn++) {
      const present = serving(victims);
      const victim = present[turn % present.length];
      if (victim && (await ask(victim.plane).catch(() => false))) return;
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

  const client = (number: number) =>
    beClient(
      victims,
      { number, pauseMs, isOver: () => isOver, yamlOf: (name, says) => lingeringYaml(name, image, says, lingersMs) },
      clientReport,
    );
  const count = (length: number) => Array.from({ length }, (_, number) => number);
  const everybody = [...count(visitors).map(visit), update(), ...count(clients).map(client)];
  const killing = killInTurn(victims, rhythm).finally(() => {
    isOver = true;
  });
  const [kills] = await Promise.all([killing, ...everybody]);
  await until('nothing is left of what was removed', async () => {
    const { owned, orphans } = await all[0]!.inventory();
    const present = new Set(owned.map(({ deploymentId }) => deploymentId));
    return orphans.length === 0 && present.size === started.length;
  });
  return { ...kills, ...report };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '5' },
      clients: { type: 'string', default: '50' },
      visitors: { type: 'string', default: '24' },
      planes: { type: 'string', default: '3' },
      /** Seconds from kill to kill. */
      every: { type: 'string', default: '5' },
      /** Maximum seconds between two intents of a client. */
      pause: { type: 'string', default: '5' },
      /** The field edge of BERTH_TIMEOUTS: if a start takes longer, the edge of that service answers 503. */
      silence: { type: 'string', default: '30s' },
      log: { type: 'string' },
    },
  });
  await using planes = await createPlanes(Number(values.planes), { BERTH_TIMEOUTS: `edge=${values.silence}` });
  for (const plane of planes.all) await plane.serve();
  const endsAt = performance.now() + Number(values.minutes) * 60_000;
  const report = await visitWhileKilled(planes, {
    visitors: Number(values.visitors),
    clients: Number(values.clients),
    pauseMs: Number(values.pause) * 1_000,
    everyMs: Number(values.every) * 1_000,
    others: 1,
    isEnough: () => performance.now() > endsAt,
  }).finally(async () => {
    if (values.log !== undefined)
      await writeFile(values.log, planes.all.map((plane, number) => `plane ${number}\n${plane.log()}`).join('\n'));
  });
  const { failed, awayMs, clients, ...counts } = report;
  const { faults, lost, failedVisits, ...told } = clients;
  const sums = { failed: failed.length, faults: faults.length, lost: lost.length, failedVisits: failedVisits.length };
  console.log(
    JSON.stringify({ ...counts, longestAwayMs: Math.max(...awayMs), clients: { ...told, ...sums } }, null, 1),
  );
  for (const each of failed) console.log(JSON.stringify(each));
  for (const each of [...faults, ...lost, ...failedVisits]) console.log(each);
}
