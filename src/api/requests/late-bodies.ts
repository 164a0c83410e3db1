/** How long a request may take to arrive. */
import type { IncomingMessage } from 'node:http';
import { answerUnreadable } from '../../lib/malformed-requests.ts';

/** For a whole request. */
export const requestTimeoutMs = 30_000;

/** For a request with a source archive: 512 MiB at 5 Mbit/s. */
export const sourceTimeoutMs = 15 * 60_000;

/** Ends a request without a source archive whose body has not arrived in time. */
export function endLate(request: IncomingMessage): void {
  const end = () => {
    const late = Object.assign(new Error('the request is late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    if (!request.complete) answerUnreadable(late, request.socket);
  };
  const timer = setTimeout(end, requestTimeoutMs).unref();
  const clear = () => clearTimeout(timer);
  request.once('end', clear).once('close', clear);
}
