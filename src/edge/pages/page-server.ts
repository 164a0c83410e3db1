/** Answers for every site that has no route, on a socket that HAProxy alone can reach. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { answerExpectations, answerUnreadable } from '../../lib/malformed-requests.ts';
import { hasUnreadBody } from '../../lib/unread-body.ts';
import { normalHost } from '../canonical-host.ts';
import type { EdgeLog } from '../edge-settings.ts';
import { admitProxy, clearSocket } from '../sockets.ts';
import { type SiteState, statePage } from './site-pages.ts';

export type PageServer = { close(): Promise<void> };

/** What is known of the deployment at a host; the host is normalised. */
export type LookUp = (host: string) => Promise<SiteState | undefined>;

/** Serves the state pages at `socketPath`, in a run directory that exists (`prepareRunDirectory`). */
export async function startPageServer(socketPath: string, lookUp: LookUp, log: EdgeLog): Promise<PageServer> {
  const server = createServer((request, response) => {
    answer(request, response, lookUp).catch((error: unknown) => {
      log.warn({ err: error }, 'a state page could not be made');
      if (!response.headersSent) response.writeHead(500, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ error: 'The state of this site could not be read.', code: 'internal' }));
    });
  });
  server.on('clientError', answerUnreadable);
  answerExpectations(server);
  await clearSocket(socketPath);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, resolve);
  });
  await admitProxy(socketPath);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, lookUp: LookUp): Promise<void> {
  const host = normalHost(request.headers.host ?? '');
  const wantsHtml = /\btext\/html\b/i.test(request.headers.accept ?? '');
  const path = (request.url ?? '/').split('?', 1)[0]!;
  const page = statePage(host ? await lookUp(host) : undefined, { host: host ?? '', path, wantsHtml });
  response.writeHead(page.status, {
    ...page.headers,
    'Content-Length': Buffer.byteLength(page.body),
    ...(hasUnreadBody(request) && { Connection: 'close' }),
  });
  response.end(request.method === 'HEAD' ? undefined : page.body);
}
