/** The input of the service's commands, and steps that several of them share. */

import { isPassing } from '../../client/follow.ts';
import type { Answer } from '../../client/request.ts';
import { createBackoff } from '../../lib/backoff.ts';
import { wait as waitReally } from '../../lib/wait.ts';
import type { Options } from '../arguments.ts';
import type { Connection } from '../connect.ts';
import type { SavedSession } from '../saved-session.ts';
import type { Streams, Terminal } from '../terminal.ts';

export type Context = {
  given: readonly string[];
  options: Options;
  terminal: Terminal;
  connection: Connection;
  /** Connects again with the current saved session of the folder. A text describes the error. */
  reconnect(): Promise<Connection | string>;
  /** The streams of the process, for a command that speaks a protocol over them. */
  streams: Streams;
  /** Replaces the folder's saved session. */
  saveSession(saved: SavedSession): Promise<void>;
  /** Adds the session to the list of earlier sessions. @returns the path of the list. */
  saveEarlierSession(saved: SavedSession): Promise<string>;
  /** Reads a file, or the standard input for `-`. Throws for one that cannot be read. */
  read(file: string): Promise<string>;
  /** Prompts with a yes-or-no question on a terminal. Undefined without one. `isYes`: Enter means yes. */
  confirm(question: string, asking?: { isYes: boolean }): Promise<boolean | undefined>;
  /** Opens an address in a browser; says whether it could. */
  open(url: string): Promise<boolean>;
  /** Aborts at Ctrl-C. */
  signal: AbortSignal;
};

/** @returns the status to end with. */
export type Run = (context: Context) => Promise<number>;

export type Target = { applicationName: string; environment?: string };

export const noDeployment =
  'This folder has no deployment: "berth deploy FILE" starts one, and --token selects another.';

/**
 * Returns the target application: the named one, the one of the folder, or the only one. A number is the exit status.
 */
export async function targetOf({ connection, terminal, signal }: Context): Promise<Target | number> {
  const { application, token, client } = connection;
  if (token === undefined) return terminal.fail(noDeployment);
  if (application) return application;
  const list = await client.call('listDeployments', { signal });
  if (!list.ok) return terminal.refuse(list.problem);
  const [only, ...others] = list.value.reservedDeployments;
  if (only && others.length === 0) return { applicationName: only.applicationName, environment: only.environment };
  const names = list.value.reservedDeployments.map(({ applicationName }) => applicationName).join(', ');
  return terminal.fail(names === '' ? 'No deployment is running.' : `Say which with --app: ${names}.`);
}

/** Prints the remaining time until an instant: `2 h 5 min`. */
export function leftUntil(instant: string, now: number): string {
  const minutes = Math.max(0, Math.round((Date.parse(instant) - now) / 60_000));
  const days = Math.floor(minutes / 1440);
  const hours = Math.floor((minutes % 1440) / 60);
  const parts = [days > 0 && `${days} d`, hours > 0 && `${hours} h`, days === 0 && `${minutes % 60} min`];
  return parts.filter(Boolean).join(' ');
}

/** Repeats requests of a waiting command while the service restarts or is too busy. */

/** An upgrade of a service takes seconds, and a machine that starts again a minute. */
const patienceMs = 90_000;
const pauses = { firstMs: 500, longestMs: 5_000 };

/** Repeats a read request until it succeeds, is refused permanently, or the time is over. Returns the last answer. */
export async function retryRequest<T>(
  { terminal, signal }: Pick<Context, 'terminal' | 'signal'>,
  ask: () => Promise<Answer<T>>,
  { wait, nowMs, random } = { wait: waitReally, nowMs: () => performance.now(), random: Math.random },
): Promise<Answer<T>> {
  const until = nowMs() + patienceMs;
  let isReported = false;
  const backoff = createBackoff(pauses, random);
  for (;;) {
    const answer = await ask();
    if (answer.ok || !isPassing(answer.problem) || signal.aborted) return answer;
    const thenMs = Math.max(backoff.next(), (answer.problem.retryAfterSeconds ?? 0) * 1000);
    if (nowMs() + thenMs > until) return answer;
    if (!isReported) terminal.printNote(`${answer.problem.error} Trying again …`);
    isReported = true;
    await wait(thenMs, signal);
  }
}
