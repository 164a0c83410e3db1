/** Questions of whoever waits: a service that restarts or is too busy is asked again. */
import type { Answer } from '../../client/ask.ts';
import { isPassing } from '../../client/follow.ts';
import { wait as waitReally } from '../../lib/wait.ts';
import type { Context } from './command.ts';

/** An upgrade of a service takes seconds, and a machine that starts again a minute. */
const patienceMs = 90_000;
const firstPauseMs = 500;
const longestPauseMs = 5_000;

/** `ask` changes nothing at the service. The answer is the first good one, a refusal that stays, or the last of a long silence. */
export async function askAgain<T>(
  { terminal, signal }: Pick<Context, 'terminal' | 'signal'>,
  ask: () => Promise<Answer<T>>,
  { wait, nowMs } = { wait: waitReally, nowMs: () => performance.now() },
): Promise<Answer<T>> {
  const until = nowMs() + patienceMs;
  let isTold = false;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const answer = await ask();
    if (answer.ok || !isPassing(answer.problem) || signal.aborted) return answer;
    const thenMs = Math.max(pauseMs, (answer.problem.retryAfterSeconds ?? 0) * 1000);
    if (nowMs() + thenMs > until) return answer;
    if (!isTold) terminal.note(`${answer.problem.error} Trying again …`);
    isTold = true;
    await wait(thenMs, signal);
  }
}
