/** Who asks. */
import type { IncomingHttpHeaders } from 'node:http';

/** The edge sets this header on every request and removes one that a client sends. */
export const clientHeader = 'x-berth-client';

/** The client's IP address as the edge saw it; `unknown` for a request that did not come through the edge. */
export function clientAddress({ headers }: { headers: IncomingHttpHeaders }): string {
  const address = headers[clientHeader];
  return typeof address === 'string' ? address : 'unknown';
}
