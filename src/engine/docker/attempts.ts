/**
 * One question to a container: does its port accept a connection, does its health check answer? Asked from the host at
 * the container's own address. The other side is hostile: times and sizes are bounded, redirects are not followed.
 */
import { request } from 'node:http';
import { connect } from 'node:net';

/** Why the attempt failed, in words; undefined when it went well. */
export type Reason = string | undefined;

/** A connection on a bridge of this host takes well under a millisecond; it is only dropped when something is wrong. */
const connectTimeoutMs = 1_000;

export function attemptConnection(address: string, port: number): Promise<Reason> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    const end = (reason?: string) => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(connectTimeoutMs, () => end(`port ${port} does not answer`));
    socket.once('connect', () => end());
    socket.once('error', (error: NodeJS.ErrnoException) => end(connectionReason(error, port)));
  });
}

/** Any 2xx or 3xx is healthy. The body is not read. */
export function attemptRequest(address: string, port: number, path: string, timeoutMs: number): Promise<Reason> {
  return new Promise((resolve) => {
    const asked = request({
      host: address,
      port,
      path,
      agent: false,
      headers: { 'user-agent': 'berth-health-check', connection: 'close' },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const end = (reason?: string) => {
      asked.destroy();
      resolve(reason);
    };
    asked.once('response', ({ statusCode = 0 }) =>
      end(statusCode >= 200 && statusCode < 400 ? undefined : `health check ${path} answered ${statusCode}`),
    );
    // Stays on: destroying the request above may raise another error.
    asked.on('error', (error: NodeJS.ErrnoException) => end(requestReason(error, port, path, timeoutMs)));
    asked.end();
  });
}

function connectionReason(error: NodeJS.ErrnoException, port: number): string {
  return error.code === 'ECONNREFUSED' ? `port ${port} refuses connections` : `port ${port} cannot be reached`;
}

function requestReason(error: NodeJS.ErrnoException, port: number, path: string, timeoutMs: number): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError')
    return `health check ${path} did not answer within ${timeoutMs / 1000} s`;
  if (error.code?.startsWith('HPE_')) return `health check ${path} got an answer that is not HTTP`;
  if (error.code === 'ECONNRESET') return `health check ${path} was cut off`;
  return connectionReason(error, port);
}
