/** How long the API takes to answer. Every request has a connection of its own, through HAProxy, as a client's has. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Service, Started } from './service.ts';

export type Latencies = {
  health: number[];
  validate: number[];
  /** One start at a time: each one is removed as soon as it is answered, and gone before the next. */
  startAlone: number[];
  /** Starts while others come up and go away. */
  startBusy: number[];
};

const tiny = `application:
  name: tiny
  pods:
    - name: cache
      image: redis:7
      path: /
      servicePorts: [6379]
`;

/** More would measure the engine: it starts some six containers a second on two processors. */
const othersUnderWay = 2;
const lookMs = 5;
/** Long enough for most to come up: their containers are started, probed and routed while the next request is timed. */
const lifeMs = 400;
const unmeasured = 5;
const patienceMs = 60_000;

export async function measureLatencies(
  service: Service,
  { requests, validated }: { requests: number; validated: string },
  signal: AbortSignal,
): Promise<Latencies> {
  const health = await repeat(requests, signal, () => service.get('/healthz'));
  const validate = await repeat(requests, signal, () => service.post('/validate', 'text/x-yaml', validated));
  return { health, validate, startAlone: await alone(service, requests), startBusy: await busy(service, requests) };
}

async function repeat(
  requests: number,
  signal: AbortSignal,
  request: () => Promise<{ status: number; ms: number }>,
): Promise<number[]> {
  const samples: number[] = [];
  for (let count = -unmeasured; count < requests; count++) {
    signal.throwIfAborted();
    const { status, ms } = await request();
    if (status !== 200) throw new Error(`The service answered ${status}.`);
    if (count >= 0) samples.push(ms);
  }
  return samples;
}

async function alone(service: Service, requests: number): Promise<number[]> {
  const samples: number[] = [];
  for (let count = 0; count < requests; count++) {
    const started = await service.start(tiny);
    samples.push(started.ms);
    await service.remove(started);
  }
  return samples;
}

async function busy(service: Service, requests: number): Promise<number[]> {
  const samples: number[] = [];
  const lives: Promise<void>[] = [];
  for (let count = -othersUnderWay; count < requests; count++) {
    await untilAtMost(othersUnderWay, service);
    const started = await service.start(tiny);
    if (count >= 0) samples.push(started.ms);
    const life = live(service, started);
    life.catch(() => {}); // awaited below, after others
    lives.push(life);
  }
  await Promise.all(lives);
  await untilAtMost(0, service);
  return samples;
}

async function live(service: Service, started: Started): Promise<void> {
  await delay(lifeMs);
  await service.requestRemoval(started);
}

async function untilAtMost(count: number, service: Service): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (service.countPresent() > count) {
    if (performance.now() > deadline) throw new Error('The deployments of the benchmark do not go away.');
    await delay(lookMs);
  }
}
