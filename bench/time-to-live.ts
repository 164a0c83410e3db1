/** How long an application takes from its request to live, and from its removal to gone. */

import type { Compose } from '../scripts/setup/compose.ts';
import type { AppSpec } from '../src/config/spec/spec.ts';
import { createProject, type Project } from './compose.ts';
import { untilOk } from './http.ts';
import { freePort, type Service } from './service.ts';
import type { Undo } from './undo.ts';

/** Milliseconds of one round, by what was measured. */
export type Times = Record<string, number>;

/** One way of bringing the application up. It leaves nothing behind. */
export type Contender = { name: string; round(signal: AbortSignal): Promise<Times> };

/** These two of the guestbook's four pods are public. The second one responds with 200 when its database does. */
const paths = { page: '/', api: '/api/healthz' };

export function berthContender(service: Pick<Service, 'port' | 'start' | 'remove'>, yaml: string): Contender {
  return {
    name: 'berth',
    async round(signal) {
      const begunAt = performance.now();
      const started = await service.start(yaml);
      const at = { host: started.host, port: service.port };
      const live = await untilBothAnswer({ page: at, api: at }, begunAt, signal);
      return { answer: started.ms, ...live, removal: await service.remove(started) };
    },
  };
}

export type ComposeContenders = { plain: Contender; published: Contender; checked: Contender };

export async function composeContenders(compose: Compose, spec: AppSpec, undo: Undo): Promise<ComposeContenders> {
  const ports = { web: await freePort(), api: await freePort() };
  const project = (name: string, published: Record<string, number>, hasHealthChecks: boolean) =>
    createProject(compose, spec, { name, published, hasHealthChecks }, undo);
  const plain = await project('plain', {}, false);
  const published = await project('published', ports, false);
  const checked = await project('checked', {}, true);
  return {
    plain: untilReturn('compose up --wait', plain),
    published: {
      name: 'compose until live',
      async round(signal) {
        const begunAt = performance.now();
        const ended = new AbortController();
        const until = AbortSignal.any([signal, ended.signal]);
        const at = (port: number) => ({ host: `127.0.0.1:${port}`, port });
        const answers = untilBothAnswer({ page: at(ports.web), api: at(ports.api) }, begunAt, until);
        try {
          const [returns, live] = await Promise.all([published.up(signal), answers]);
          return { returns, ...live, removal: await published.down(signal) };
        } finally {
          ended.abort();
          await answers.catch(() => {});
        }
      },
    },
    checked: untilReturn('compose up --wait, 1 s health checks', checked),
  };
}

function untilReturn(name: string, project: Project): Contender {
  return {
    name,
    async round(signal) {
      const returns = await project.up(signal);
      await project.discard(signal);
      return { returns };
    },
  };
}

type Place = { host: string; port: number };

async function untilBothAnswer(
  places: { page: Place; api: Place },
  begunAt: number,
  signal: AbortSignal,
): Promise<{ page: number; api: number; live: number }> {
  const [pageAt, apiAt] = await Promise.all([
    untilOk({ ...places.page, path: paths.page }, signal),
    untilOk({ ...places.api, path: paths.api }, signal),
  ]);
  return { page: pageAt - begunAt, api: apiAt - begunAt, live: Math.max(pageAt, apiAt) - begunAt };
}

/** `enough`: after it no further round begins, if there was one. */
export type Rounds = { rounds: number; warmUps: number; enough?: AbortSignal };

/** The times of each contender, one after another in every round: a slow minute of the machine is a minute for all. */
export async function runRounds(
  contenders: Contender[],
  { rounds, warmUps, enough }: Rounds,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Map<string, Times[]>> {
  const times = new Map<string, Times[]>(contenders.map(({ name }) => [name, []]));
  for (let round = -warmUps; round < rounds; round++) {
    if (round > 0 && enough?.aborted) {
      say(`${round} rounds: the time is over`);
      break;
    }
    // Each round begins with another one, so that no contender always runs after the same predecessor.
    const first = (round + warmUps) % contenders.length;
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      const measured = await contender.round(signal);
      const label = round < 0 ? 'warm-up' : `round ${round + 1}`;
      const shown = Object.entries(measured).map(([what, ms]) => `${what} ${Math.round(ms)}`);
      say(`${label.padEnd(9)} ${contender.name.padEnd(37)} ${shown.join(', ')} ms`);
      if (round >= 0) times.get(contender.name)!.push(measured);
    }
  }
  return times;
}
