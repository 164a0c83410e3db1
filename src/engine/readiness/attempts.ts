/**
 * One attempt at a container: connects to its port or requests its health check, from the host at the container's
 * address. The container is hostile: times and sizes are bounded, and redirects are not followed.
 */
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { bytesRead, readableText } from '../../deployment/status/health-check-answer.ts';
import type { Readiness } from '../../deployment/workload/workload.ts';

/** Why an attempt failed. `refused`: no socket listens there (yet). `unhealthy`: the response is bad. */
export type Reason = {
  kind: 'refused' | 'unhealthy' | 'unreachable';
  words: string;
  hint?: string;
  /** The beginning of the response to a failed health check. */
  body?: string;
};

/** A connection on a bridge of this host takes well under a millisecond. Dropped packets mean a fault. */
const connectTimeoutMs = 1_000;

/** A server that has sent a status has the first bytes of a body ready. A slow body is ignored. */
const bodyTimeoutMs = 500;

/** Resolves to undefined if it succeeds. */
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

export type HttpTarget = Pick<Extract<Readiness, { kind: 'http' }>, 'port' | 'path' | 'host' | 'timeoutSeconds'>;

/** Resolves to undefined for any 2xx or 3xx status. For other responses, reads the beginning of the body. */
export function attemptRequest(address: string, requested: HttpTarget): Promise<Reason | undefined> {
  const { port, path, timeoutSeconds, host = `localhost:${port}` } = requested;
  return new Promise((resolve) => {
    const sent = request({
      host: address,
      port,
      path,
      agent: false,
      // Many frameworks refuse unknown hosts, including the container's address.
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
    // The listener stays, because destroying the request above may raise another error.
    sent.on('error', (error: NodeJS.ErrnoException) => end(requestReason(error, requested)));
    sent.end();
  });
}

/** Returns what has arrived of a body in time, up to a limit. Never rejects. Compressed bodies are skipped. */
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
  // A truncated body is shown as far as it has arrived.
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

function requestReason(error: NodeJS.ErrnoException, { port, path, timeoutSeconds }: HttpTarget): Reason {
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
