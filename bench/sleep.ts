/** How long a sleeping deployment takes to answer: the processes continue (frozen), or its pods start (stopped). */
import { setTimeout as delay } from 'node:timers/promises';
import { type Section, spread, tail } from './figures.ts';
import { send, untilOk } from './http.ts';
import type { Service, Started } from './service.ts';

export type SleepOptions = { wakes: number; starts: number };

export type SleepTimes = {
  /** The first request to a frozen deployment, and the next one. */
  frozen: number[];
  awake: number[];
  /** The first request to a stopped deployment, and a start of the same configuration until its first answer. */
  stopped: number[];
  started: number[];
};

/** Settings of the service under test. */
export const sleepSettings = { BERTH_SLEEP: 'free=1s claimed=1s stop=2s' };

const patienceMs = 60_000;
const lookMs = 50;

/** `path`: a path whose pod sends requests to the others. */
export async function measureSleep(
  service: Service,
  { wakes, starts, yaml, path }: SleepOptions & { yaml: string; path: string },
  signal: AbortSignal,
): Promise<SleepTimes> {
  const times: SleepTimes = { frozen: [], awake: [], stopped: [], started: [] };
  const siteOf = ({ host }: Started) => ({ host, port: service.port, path });
  const visit = async (started: Started) => {
    const { status, ms } = await send(siteOf(started), signal);
    if (status !== 200) throw new Error(`A sleeping deployment answered ${status}.`);
    return ms;
  };
  for (let round = 0; round < starts; round++) {
    const begunAt = performance.now();
    const started = await service.start(yaml);
    times.started.push((await untilOk(siteOf(started), signal)) - begunAt);
    await service.untilRunning(started);
    for (let wake = 0; wake < Math.ceil(wakes / starts); wake++) {
      await untilAsleep(service, started, signal);
      times.frozen.push(await visit(started));
      times.awake.push(await visit(started));
    }
    service.claim(started);
    await visit(started);
    await untilStopped(service, signal);
    times.stopped.push(await visit(started));
    await service.remove(started);
  }
  return times;
}

async function untilAsleep(service: Service, started: Started, signal: AbortSignal): Promise<void> {
  const { sessionToken, applicationName } = started;
  const path = `/getDeploymentStatus?${new URLSearchParams({ sessionToken, applicationName })}`;
  await until(signal, async () => JSON.parse((await service.get(path)).body).status?.health === 'asleep');
  await until(signal, async () => {
    const workloads = (await service.owned()).filter(({ kind }) => kind === 'workload');
    return workloads.every(({ tampering }) => tampering === 'paused');
  });
}

async function untilStopped(service: Service, signal: AbortSignal): Promise<void> {
  await until(
    signal,
    async () => !(await service.owned()).some(({ kind }) => kind === 'workload' || kind === 'network'),
  );
}

async function until(signal: AbortSignal, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('The deployment did not fall asleep.');
    await delay(lookMs, undefined, { signal });
  }
}

export function sleepSections({ frozen, awake, stopped, started }: SleepTimes): Section[] {
  return [
    {
      title: 'A request to a deployment that is frozen or awake',
      unit: 'ms',
      figures: [
        { id: 'sleep.frozen', says: 'it is frozen', values: tail(frozen) },
        { id: 'sleep.awake', says: 'it is awake', values: tail(awake) },
      ],
    },
    {
      title: 'A request to a deployment that is stopped, and a first start until its answer',
      unit: 'ms',
      figures: [
        { id: 'sleep.stopped', says: 'it is stopped', values: spread(stopped), samples: stopped },
        { id: 'sleep.started', says: 'it is started', values: spread(started), samples: started },
      ],
    },
  ];
}
