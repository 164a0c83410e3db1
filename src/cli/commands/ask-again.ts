/** Repeats requests of a waiting command while the service restarts or is too busy. */
import type { Answer } from '../../client/ask.ts';
import { isPassing } from '../../client/follow.ts';
import { createBackoff } from '../../lib/backoff.ts';
import { wait as waitReally } from '../../lib/wait.ts';
import type { Context } from './command.ts';

/** An upgrade of a service takes seconds, and a machine that starts again a minute. */
const patienceMs = 90_000;
const pauses = { firstMs: 500, longestMs: 5_000 };

/** `ask` changes nothing at the service. The answer is the first good one, a refusal that stays, or the last of a long silence. */
export async function askAgain<T>(
  { terminal, signal }: Pick<Context, 'terminal' | 'signal'>,
  ask: () => Promise<Answer<T>>,
  { wait, nowMs, random } = { wait: waitReally, nowMs: () => performance.now(), random: Math.random },
): Promise<Answer<T>> {
  const until = nowMs() + patienceMs;
  let isTold = false;
  const backoff = createBackoff(pauses, random);
  for (;;) {
    const answer = await ask();
    if (answer.ok || !isPassing(answer.problem) || signal.aborted) return answer;
    const thenMs = Math.max(backoff.next(), (answer.problem.retryAfterSeconds ?? 0) * 1000);
    if (nowMs() + thenMs > until) return answer;
    if (!isTold) terminal.note(`${answer.problem.error} Trying again …`);
    isTold = true;
    await wait(thenMs, signal);
  }
}
