/** One HTTP request on a connection of its own, as `curl` makes it, to this machine. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

export type Question = {
  port: number;
  path: string;
  /** The Host header; a name below `localhost` need not resolve for this. */
  host: string;
  method?: 'GET' | 'POST';
  type?: string;
  body?: string | Buffer;
};

/** `ms`: from before the connection is made until the last byte of the answer. */
export type Answer = { status: number; body: string; ms: number };

const answerTimeoutMs = 10_000;

export async function send(question: Question, signal: AbortSignal): Promise<Answer> {
  const { port, path, host, method = 'GET', type, body = '' } = question;
  const sentAt = performance.now();
  const until = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
  return await new Promise((resolve, reject) => {
    const headers = { host, ...(type && { 'content-type': type }), 'content-length': Buffer.byteLength(body) };
    const requested = request({ host: '127.0.0.1', port, path, method, headers, agent: false, signal: until });
    requested.once('response', (response) => {
      text(response).then((body) => {
        resolve({ status: response.statusCode ?? 0, body, ms: performance.now() - sentAt });
      }, reject);
    });
    requested.on('error', reject);
    requested.end(body);
  });
}

/**
 * The pause between two polls. Each poll is work for the same two processors: at 10 ms, polling took a tenth of them
 * while the application started (measured). At 25 ms, a time is known to 1 %.
 */
const pollMs = 25;
const patienceMs = 120_000;

/** Resolves at the first 200, with `performance.now()`. Throws if none arrives within two minutes. */
export async function untilOk(question: Question, signal: AbortSignal): Promise<number> {
  const deadline = performance.now() + patienceMs;
  let last = 'nothing yet';
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    const answer = await send(question, signal).catch((error: Error) => error);
    if (!(answer instanceof Error) && answer.status === 200) return performance.now();
    last = answer instanceof Error ? answer.message : `status ${answer.status}: ${answer.body.slice(0, 500)}`;
    await delay(pollMs, undefined, { signal });
  }
  throw new Error(`http://${question.host}${question.path} did not answer 200 in time; the last answer was: ${last}`);
}
