/**
 * Visitors of a site at a steady rate: a request is sent at its time, even if the one before is still waiting, so a
 * stop of half a second is fifty requests that waited or failed.
 */
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export type Visited = {
  /** Beginnings of the answers, up to the first space: the revision. In the order of their arrival. */
  revisions: string[];
  count: number;
  /** In words: `GET / at 1,234 ms: 503 …`. */
  failures: string[];
  /** The latencies of responses that are not slow on purpose. */
  latenciesMs: number[];
};

/** A page that answers at once, one that takes `ms`, and one that answers with what it was sent. */
export const paths = { page: '/', slow: (ms: number) => `/slow?${ms}`, echo: '/echo' };

/** A visitor waits for an answer however busy the machine is: only one that never comes ends like this. */
const longestMs = 900_000;
/** The edge ends idle connections after a minute: one that is to be used again must not be about to end. */
const longestIdleMs = 20_000;

/**
 * Visits from before `work` begins until it has ended, and until the last answer. Of each 20 requests 5 come on a
 * connection of their own and the others on kept ones, 4 are posts, and 2 take several hundred milliseconds.
 */
export async function whileVisited(
  site: { host: string; port: number },
  perSecond: number,
  work: (seen: Visited) => Promise<void>,
): Promise<Visited> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256, timeout: longestIdleMs });
  const seen: Visited = { revisions: [], count: 0, failures: [], latenciesMs: [] };
  const begunAt = performance.now();

  async function visit(number: number): Promise<void> {
    const isPost = number % 5 === 0;
    const isSlow = number % 10 === 3;
    const path = isSlow ? paths.slow(300 + ((number * 7) % 500)) : isPost ? paths.echo : paths.page;
    const body = isPost ? `post ${number} `.repeat(50) : '';
    const sentAt = performance.now();
    const what = `${isPost ? 'POST' : 'GET'} ${path} at ${Math.round(sentAt - begunAt)} ms`;
    try {
      const chosen = number % 4 === 1 ? false : agent;
      const { status, text } = await ask({ ...site, path, body, agent: chosen });
      if (status !== 200) throw new Error(`${status} ${text.slice(0, 200)}`);
      if (!text.endsWith(body)) throw new Error(`not what was sent: ${text.slice(0, 200)}`);
      seen.revisions.push(text.split(' ', 1)[0]!);
      if (!isSlow) seen.latenciesMs.push(performance.now() - sentAt);
    } catch (error) {
      seen.failures.push(`${what}: ${(error as Error).message}`);
    }
    seen.count++;
  }

  await visitSteadily(perSecond, visit, () => work(seen)).finally(() => agent.destroy());
  return seen;
}

/** `visit` is called so often, with numbers from 0, while `work` is done; resolves when all of them have. */
export async function visitSteadily(
  perSecond: number,
  visit: (number: number) => Promise<void>,
  work: () => Promise<void>,
): Promise<void> {
  const pending = new Set<Promise<void>>();
  const begunAt = performance.now();
  let isStopped = false;

  async function run(): Promise<void> {
    for (let number = 0; !isStopped; number++) {
      const dueAt = begunAt + (number * 1000) / perSecond;
      const waitMs = dueAt - performance.now();
      if (waitMs > 1) await delay(waitMs);
      const visiting: Promise<void> = visit(number).finally(() => pending.delete(visiting));
      pending.add(visiting);
    }
  }

  const running = run();
  try {
    await work();
  } finally {
    isStopped = true;
    await running;
    await Promise.all(pending);
  }
}

type TargetRequest = { host: string; port: number; path: string; body: string; agent: Agent | false };

function ask({ host, port, path, body, agent }: TargetRequest): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      agent,
      method: body ? 'POST' : 'GET',
      headers: { host, ...(body && { 'content-length': Buffer.byteLength(body) }) },
      signal: AbortSignal.timeout(longestMs),
    });
    sent.once('response', async (response) => {
      try {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        // A body that ends before its length is incomplete.
        if (!response.complete) throw new Error('the answer broke off');
        resolve({ status: response.statusCode ?? 0, text });
      } catch (error) {
        reject(error);
      }
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
