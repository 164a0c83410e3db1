/**
 * Clients of several services that are killed in turn. Each has an application of its own, which it repeatedly starts,
 * updates, extends and removes, and checks that each confirmed change is done. As behind a load balancer, it sends
 * requests to a service that runs, and repeats those that a kill has cut.
 */
import { randomUUID } from 'node:crypto';
import { wait } from '../../src/lib/wait.ts';
import type { Answer } from './ask.ts';
import type { Started } from './berth.ts';
import { serving, type Victim } from './kill-rhythm.ts';

export type ClientReport = {
  /** The number of 200 responses by kind. */
  answered: Record<string, number>;
  /**
   * The number of requests that a kill has cut, by kind: the service was killed during the request, or was not yet
   * back.
   */
  cut: Record<string, number>;
  /** Wrong answers of a service that ran throughout. */
  faults: string[];
  /** Confirmed changes that are missing or duplicate. */
  lost: string[];
  /** To its own application, of which an edge had answered before. */
  visits: number;
  failedVisits: string[];
};

export type ClientOptions = {
  /** Identifies the client. */
  number: number;
  yamlOf: (name: string, says: string) => string;
  /** Maximum pause between two of its intents. */
  pauseMs: number;
  /** No application is begun any more; one that has begun is brought to its end. */
  isOver: () => boolean;
};

export function newClientReport(): ClientReport {
  return { answered: {}, cut: {}, faults: [], lost: [], visits: 0, failedVisits: [] };
}

/** Combines several reports. */
export async function beClient(
  victims: readonly Victim[],
  { number, yamlOf, pauseMs, isOver }: ClientOptions,
  report: ClientReport,
): Promise<void> {
  let turn = number;

  /** At one that serves: the answer, or nothing where a kill has cut it. */
  async function askOnce(kind: string, send: (victim: Victim) => Promise<Answer>): Promise<Answer | undefined> {
    const present = serving(victims);
    const victim = present[turn++ % present.length];
    if (!victim) return undefined;
    const { kills } = victim;
    const answer = await send(victim).catch((error: Error) => error);
    const isRight = !(answer instanceof Error) && answer.status === 200;
    if (isRight) {
      count(report.answered, kind);
      return answer;
    }
    const words = answer instanceof Error ? answer.message : `${answer.status} ${answer.text.slice(0, 200)}`;
    if (victim.kills !== kills) count(report.cut, `${kind}: ${brief(answer)}`);
    else if (answer instanceof Error || answer.status >= 500) report.faults.push(`client ${number}, ${kind}: ${words}`);
    else return answer;
    return undefined;
  }

  /** Until it is answered. `doneBefore`: how one is answered that a kill had cut, and that was done all the same. */
  async function ask(kind: string, send: (victim: Victim) => Promise<Answer>, doneBefore?: number): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      const answer = await askOnce(kind, send);
      if (answer && (answer.status === 200 || (attempt > 0 && answer.status === doneBefore))) return answer;
      if (answer) report.faults.push(`client ${number}, ${kind}: ${answer.status} ${answer.text.slice(0, 200)}`);
      await wait(100);
    }
  }

  const post = (path: string, body: string, headers: object) => (victim: Victim) =>
    victim.plane.visit(`http://localhost:${victim.plane.settings.port}${path}`, { method: 'POST', headers, body });
  const yaml = { 'content-type': 'text/x-yaml' };
  const json = { 'content-type': 'application/json' };

  /** At any edge, regardless of the state of its service: `says` if it answers so. */
  async function visit({ url }: Started, mustAnswer: boolean): Promise<string> {
    const edge = turn++ % victims.length;
    const answer = await victims[edge]!.plane.visit(url).catch((error: Error) => error);
    const isAnswered = !(answer instanceof Error) && answer.status === 200;
    if (mustAnswer) report.visits++;
    if (mustAnswer && !isAnswered)
      report.failedVisits.push(`client ${number}, ${new URL(url).hostname} at edge ${edge}: ${wordsOf(answer)}`);
    return isAnswered ? answer.text.trim() : '';
  }

  async function untilSaid(started: Started, says: string, mustAnswer: boolean): Promise<void> {
    // At every edge: each has its turn.
    for (let seen = 0; seen < victims.length; ) {
      seen = (await visit(started, mustAnswer)) === says ? seen + 1 : 0;
      await wait(mustAnswer ? 100 : 500);
    }
  }

  async function liveOnce(cycle: number): Promise<void> {
    const name = `client-${number}-${cycle}`;
    const pause = () => wait(Math.random() * pauseMs);
    const key = { 'idempotency-key': randomUUID() };
    const started: Started = (
      await ask('start', post('/startUserDeployment', yamlOf(name, 'one'), { ...yaml, ...key }))
    ).body;
    const named = JSON.stringify({ sessionToken: started.sessionToken, applicationName: name });
    const query = `sessionToken=${started.sessionToken}`;
    await untilSaid(started, 'one', false);
    await pause();
    await ask('update', post(`/updateUserDeployment?${query}`, yamlOf(name, 'two'), yaml));
    await untilSaid(started, 'two', true);
    await pause();
    await ask('extend', post('/extendDeployment', named, json), 409);
    const listed = await ask('list', ({ plane }) => plane.get(`/getReservations?${query}`));
    if (listed.body.reservedDeployments.length !== 1) report.lost.push(`${name}: ${listed.text}`);
    const { body } = await ask('status', ({ plane }) =>
      plane.get(`/getDeploymentStatus?${query}&applicationName=${name}`),
    );
    if (body.extend.remaining > 1) report.lost.push(`${name}: an extension, ${body.extend.remaining} remain`);
    await pause();
    await ask('remove', post('/removeDeploymentReservation', named, json), 404);
    while ((await visit(started, false)) !== '') await wait(500);
  }

  // People do not come all at once.
  await wait(Math.random() * pauseMs);
  for (let cycle = 0; !isOver(); cycle++) await liveOnce(cycle);
}

function count(counts: Record<string, number>, kind: string): void {
  counts[kind] = (counts[kind] ?? 0) + 1;
}

/** The same text for alike answers. */
function brief(answer: Answer | Error): string {
  return answer instanceof Error ? ((answer as NodeJS.ErrnoException).code ?? answer.message) : wordsOf(answer);
}

/** Each cause of a 503 has a code, a state or a pause of its own. */
export function wordsOf(answer: Answer | Error): string {
  if (answer instanceof Error) return answer.message;
  const { status, body, headers, text } = answer;
  const cause = headers['x-berth-state'] ?? body?.code ?? text.slice(0, 60);
  return `${status} ${cause}, again after ${headers['retry-after']} s`;
}
