/**
 * One question to a container: does its port accept a connection, does its health check answer? Asked from the host at
 * the container's own address. The other side is hostile: times and sizes are bounded, redirects are not followed.
 */
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { bytesRead, readableText } from '../../deployment/status/health-check-answer.ts';
import type { Readiness } from '../../deployment/workload/workload.ts';

/** Why an attempt failed. `refused`: nobody listens there (yet). `unhealthy`: somebody does, and does not answer well. */
export type Reason = {
  kind: 'refused' | 'unhealthy' | 'unreachable';
  words: string;
  hint?: string;
  /** The beginning of what a health check answered that failed. */
  body?: string;
};

/** A connection on a bridge of this host takes well under a millisecond; it is only dropped when something is wrong. */
const connectTimeoutMs = 1_000;

/** A server that has answered with a status has the first bytes of a body at hand; who sends them slowly has none. */
const bodyTimeoutMs = 500;

/** Resolves with nothing when it went well. */
export function attemptConnection(address: string, port: number): Promise<Reason | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    const end = (reason?: Reason) => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(connectTimeoutMs, () => end({ kind: 'unreachable', words: `port ${port} does not answer` }));
    socket.once('connect', () => end());
    socket.once('error', (error: NodeJS.ErrnoException) => end(connectionReason(error, port)));
  });
}

export type Asked = Pick<Extract<Readiness, { kind: 'http' }>, 'port' | 'path' | 'host' | 'timeoutSeconds'>;

/** Resolves with nothing at any 2xx or 3xx, which is healthy. Of another answer the beginning of the body is read. */
export function attemptRequest(address: string, asked: Asked): Promise<Reason | undefined> {
  const { port, path, timeoutSeconds, host = `localhost:${port}` } = asked;
  return new Promise((resolve) => {
    const sent = request({
      host: address,
      port,
      path,
      agent: false,
      // Many frameworks refuse names that they do not know, the container's address among them.
      headers: { host, 'user-agent': 'berth-health-check', connection: 'close' },
      signal: AbortSignal.timeout(timeoutSeconds * 1000),
    });
    const end = (reason?: Reason) => {
      sent.destroy();
      resolve(reason);
    };
    sent.once('response', (response) => {
      const reason = statusReason(response.statusCode ?? 0, path);
      if (reason) void readBeginning(response).then((body) => end({ ...reason, ...(body !== '' && { body }) }));
      else end();
    });
    // Stays on: destroying the request above may raise another error.
    sent.on('error', (error: NodeJS.ErrnoException) => end(requestReason(error, asked)));
    sent.end();
  });
}

/** What has come of a body within its time, at most so much; never rejects. Compressed ones are nothing to read. */
async function readBeginning(response: IncomingMessage): Promise<string> {
  if ((response.headers['content-encoding'] ?? 'identity') !== 'identity') return '';
  const chunks: Buffer[] = [];
  let bytes = 0;
  const read = async () => {
    for await (const chunk of response) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes >= bytesRead) return;
    }
  };
  const enough = new AbortController();
  // What was cut off is shown as far as it came.
  await Promise.race([
    read().catch(() => {}),
    delay(bodyTimeoutMs, undefined, { signal: enough.signal }).catch(() => {}),
  ]);
  enough.abort();
  return readableText(Buffer.concat(chunks).subarray(0, bytesRead));
}

function statusReason(status: number, path: string): Reason | undefined {
  if (status >= 200 && status < 400) return undefined;
  const hint = 'healthCheck.path has to answer 2xx or 3xx';
  return { kind: 'unhealthy', words: `health check ${path} answered ${status}`, hint };
}

function connectionReason(error: NodeJS.ErrnoException, port: number): Reason {
  if (error.code === 'ECONNREFUSED') return { kind: 'refused', words: `does not listen on port ${port}` };
  return { kind: 'unreachable', words: `port ${port} cannot be reached` };
}

function requestReason(error: NodeJS.ErrnoException, { port, path, timeoutSeconds }: Asked): Reason {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') {
    const hint = 'it has to answer sooner, or healthCheck.timeoutSeconds has to be longer';
    return { kind: 'unhealthy', words: `health check ${path} timed out after ${timeoutSeconds} s`, hint };
  }
  if (error.code?.startsWith('HPE_')) {
    const hint = `port ${port} has to speak HTTP`;
    return { kind: 'unhealthy', words: `health check ${path} got an answer that is not HTTP`, hint };
  }
  if (error.code === 'ECONNRESET') return { kind: 'unhealthy', words: `health check ${path} was cut off` };
  return connectionReason(error, port);
}
