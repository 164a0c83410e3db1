/** Many small deployments at the same time: what each further one costs, and what they all cost when nothing happens. */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { connectDocker } from '../src/engine/docker/connect-docker.ts';
import type { Owned } from '../src/engine/engine.ts';
import { send, untilOk } from './http.ts';
import type { Service, Started } from './service.ts';

export type Density = {
  /** Milliseconds from the request until the page answers, in the order of the starts. */
  live: number[];
  /** How many pages answer 200 when all have been started. */
  answering: number;
  /** The share of one processor that the idle service uses. */
  idleShare: number;
  /** Resident, of the service's process. */
  serviceBytes: number;
  /** The mean memory of a container, without memory that the kernel can reclaim. */
  bytesEach: number;
  /** Until nothing is left of all of them. */
  removalMs: number;
  /** Containers, networks and volumes of this installation after that. */
  left: number;
};

const tiny = (number: number) => `application:
  name: tiny-${number}
  pods: [{ name: web, image: "nginx:1", path: /, servicePorts: [80] }]
`;

/** The last visits of the starts, and the engine's own echo of them. */
const settlingMs = 3_000;
/** `_SC_CLK_TCK`: 100 on every Linux. */
const ticksPerSecond = 100;

export async function measureDensity(
  service: Service,
  { deployments, idleSeconds }: { deployments: number; idleSeconds: number },
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Density> {
  const started: Started[] = [];
  const live: number[] = [];
  for (let number = 1; number <= deployments; number++) {
    const begunAt = performance.now();
    const one = await service.start(tiny(number));
    started.push(one);
    live.push((await untilOk({ host: one.host, port: service.port, path: '/' }, signal)) - begunAt);
    if (number % 20 === 0) say(`${number} deployments; the last one was live after ${Math.round(live.at(-1)!)} ms`);
  }
  const statuses = await Promise.all(
    started.map(async ({ host }) => (await send({ host, port: service.port, path: '/' }, signal)).status),
  );
  await delay(settlingMs, undefined, { signal });
  const bytesEach = await containerBytes(await service.owned());
  const idleShare = await processorShare(service.pid, idleSeconds, signal);
  const serviceBytes = await residentBytes(service.pid);
  const begunAt = performance.now();
  for (const each of started) await service.requestRemoval(each);
  await service.untilGone();
  const removalMs = performance.now() - begunAt;
  const left = (await service.owned()).length;
  const answering = statuses.filter((status) => status === 200).length;
  return { live, answering, idleShare, serviceBytes, bytesEach, removalMs, left };
}

/** How much of one processor a process uses, with all its threads. */
async function processorShare(pid: number, seconds: number, signal: AbortSignal): Promise<number> {
  const begunAt = performance.now();
  const before = await ticksOf(pid);
  await delay(seconds * 1000, undefined, { signal });
  const used = ((await ticksOf(pid)) - before) / ticksPerSecond;
  return used / ((performance.now() - begunAt) / 1000);
}

/** User and system time: fields 14 and 15 of proc(5); the name before them may hold spaces. */
async function ticksOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

async function residentBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) * 1024;
}

async function containerBytes(owned: Owned[]): Promise<number> {
  const docker = await connectDocker();
  const containers = owned.filter(({ kind }) => kind === 'workload');
  let sum = 0;
  for (const { id } of containers) {
    const { memory_stats } = await docker.getContainer(id).stats({ stream: false, 'one-shot': true });
    // As `docker stats` counts, on cgroups of version 1 and 2.
    sum += memory_stats.usage - (memory_stats.stats.total_inactive_file ?? memory_stats.stats.inactive_file ?? 0);
  }
  return sum / containers.length;
}
