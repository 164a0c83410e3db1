/** Rolling updates of one pod under a steady load: how long until the new revision answers, and which requests fail. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Compose } from '../scripts/setup/compose.ts';
import { parseConfiguration } from '../src/config/parse.ts';
import type { AppSpec } from '../src/config/spec/spec.ts';
import { createProject } from './compose.ts';
import { untilOk } from './http.ts';
import { freePort, type Service } from './service.ts';
import { type Visited, whileVisited } from './steady-load.ts';
import type { Undo } from './undo.ts';
import { visitedYaml } from './visited-application.ts';

/** Milliseconds of each update, and all visits during it. `returns`: the run time of the command, if it has one. */
export type Updates = { live: number[]; returns: number[]; visited: Visited };

export const perSecond = 100;
const lookMs = 5;
const patienceMs = 60_000;

const documentOf = (revision: string) => visitedYaml('visited', revision);

export async function berthUpdates(service: Service, count: number, signal: AbortSignal): Promise<Updates> {
  const started = await service.start(documentOf('r0'));
  const site = { host: started.host, port: service.port };
  await untilOk({ ...site, path: '/' }, signal);
  const live: number[] = [];
  const visited = await whileVisited(site, perSecond, async (seen) => {
    for (let number = 1; number <= count; number++) {
      const begunAt = performance.now();
      await service.update(started, documentOf(`r${number}`));
      live.push((await untilServed(seen, `r${number}`, signal)) - begunAt);
      await service.untilRunning(started);
    }
  });
  await service.remove(started);
  return { live, returns: [], visited };
}

/** The same by `docker compose up -d --wait` with another value of the variable. */
export async function composeUpdates(
  compose: Compose,
  count: number,
  undo: Undo,
  signal: AbortSignal,
): Promise<Updates> {
  const port = await freePort();
  const options = { name: 'updated', published: { web: port }, hasHealthChecks: false };
  const project = await createProject(compose, specOf('r0'), options, undo);
  await project.up(signal);
  const site = { host: `127.0.0.1:${port}`, port };
  await untilOk({ ...site, path: '/' }, signal);
  const live: number[] = [];
  const returns: number[] = [];
  const visited = await whileVisited(site, perSecond, async (seen) => {
    for (let number = 1; number <= count; number++) {
      await project.change(specOf(`r${number}`));
      const begunAt = performance.now();
      const [answeredAt, ms] = await Promise.all([untilServed(seen, `r${number}`, signal), project.up(signal)]);
      live.push(answeredAt - begunAt);
      returns.push(ms);
    }
  });
  await project.discard(signal);
  return { live, returns, visited };
}

/** Resolves with when the revision's first answer was seen. */
async function untilServed({ revisions }: Visited, revision: string, signal: AbortSignal): Promise<number> {
  const deadline = performance.now() + patienceMs;
  while (revisions.at(-1) !== revision) {
    signal.throwIfAborted();
    if (performance.now() > deadline) throw new Error(`Revision ${revision} did not answer in time.`);
    await delay(lookMs);
  }
  return performance.now();
}

function specOf(revision: string): AppSpec {
  const parsed = parseConfiguration(documentOf(revision));
  if (parsed.kind !== 'valid') throw new Error(`The application of the benchmark is ${parsed.kind}.`);
  return parsed.spec;
}
