import type { IncomingMessage } from 'node:http';

/**
 * Returns whether a request has an unread body. Node reads the rest after the response to reuse the connection. The
 * rest may be gigabytes, or never end. The response therefore has `Connection: close`.
 */
export function hasUnreadBody({ headers, complete }: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return !complete && (coding !== undefined || length !== '0');
}

/**
 * Reads the rest of a body before a response that does not need it, if it is small and arrives soon. If a connection is
 * closed while a client still sends, its system reports a broken connection, and most clients never read the response
 * (RFC 9112, 9.6, recommends the same).
 */
export async function discardBody(
  request: IncomingMessage,
  { maxBytes = 2 ** 20, patienceMs = 2_000 } = {},
): Promise<void> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (!hasUnreadBody(request) || request.destroyed || announced > maxBytes) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  let passed = 0;
  const pass = (piece: Buffer) => {
    passed += piece.length;
    if (passed > maxBytes) resolve();
  };
  const timer = setTimeout(resolve, patienceMs);
  request.on('data', pass).once('end', resolve).once('close', resolve);
  await promise;
  clearTimeout(timer);
  request.off('data', pass).off('end', resolve).off('close', resolve).pause();
}
