import type { IncomingMessage } from 'node:http';

/**
 * Whether a request has a body that has not come to its end. Node reads such a rest when the answer is out, to use the
 * connection again; it may be gigabytes, or never end. The answer has to say `Connection: close` instead.
 */
export function hasUnreadBody({ headers, complete }: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return !complete && (coding !== undefined || length !== '0');
}
