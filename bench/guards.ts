/**
 * How late timers come in the service while strangers send large configurations: the guards of the firewall and of the
 * disk live by such timers. The limits of rate and of bytes are off, so that only the reading itself is measured.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { clientHeader } from '../src/api/requests/client-address.ts';
import { largeDocuments } from '../test/hostile/large-documents.ts';

export type GuardOptions = { seconds: number };

/** Milliseconds that timers came late, and the most processor time that the thread took between two of them. */
export type Lateness = { p99: number; longest: number; turn: number };

export type GuardTimes = {
  /** Processor time that each of the documents takes where everything else waits for it. */
  readMs: number[];
  quiet: Lateness;
  attacked: Lateness;
  /** How often each status was answered during the attack. */
  answers: Record<string, number>;
};

const requestsPerSecond = 100;
const addresses = 20;
const program = join(import.meta.dirname, 'guards-process.ts');

export async function measureGuards({ seconds }: GuardOptions, signal: AbortSignal): Promise<GuardTimes> {
  const child = fork(program, { signal, stdio: ['ignore', 2, 2, 'ipc'] });
  const ended = once(child, 'exit').then(([code]): never => {
    throw new Error(`The process with the API ended with code ${code}.`);
  });
  const reported = async <T>() => (await Promise.race([once(child, 'message'), ended]))[0] as T;
  const ask = async <T>(question: string) => {
    child.send(question);
    return await reported<T>();
  };
  const { port } = await reported<{ port: number }>();
  const readMs = await ask<number[]>('read');
  await ask('reset');
  await delay(seconds * 1000, undefined, { signal });
  const quiet = await ask<Lateness>('lateness');
  await ask('reset');
  const answers = await attack(port, seconds, signal);
  const attacked = await ask<Lateness>('lateness');
  child.disconnect();
  await ended.catch(() => {});
  return { readMs, quiet, attacked, answers };
}

/** Waits for no answer, neither before the next request nor at the end, like a real attacker. */
async function attack(port: number, seconds: number, signal: AbortSignal): Promise<Record<string, number>> {
  const documents = Object.values(largeDocuments);
  const answers: Record<string, number> = {};
  const end = new AbortController();
  const begunAt = performance.now();
  for (let count = 0; count < seconds * requestsPerSecond; count++) {
    await delay(Math.max(0, begunAt + (count * 1000) / requestsPerSecond - performance.now()), undefined, { signal });
    const headers = { 'Content-Type': 'text/x-yaml', [clientHeader]: `192.0.2.${count % addresses}` };
    const body = documents[count % documents.length]!;
    const requested = fetch(`http://127.0.0.1:${port}/validate`, { method: 'POST', headers, body, signal: end.signal });
    const tally = async (answer: Response) => {
      await answer.arrayBuffer();
      answers[answer.status] = (answers[answer.status] ?? 0) + 1;
    };
    requested.then(tally).catch((error: Error) => {
      if (error.name !== 'AbortError') throw error;
    });
  }
  end.abort();
  return answers;
}
