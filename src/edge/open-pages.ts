/** The pages behind HAProxy: for sites that are not live. */
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import type { Instant } from '../deployment/deployment.ts';
import type { Database } from '../store/database.ts';
import type { Admit } from './doors.ts';
import { startPageServer } from './pages/page-server.ts';
import { siteState } from './served-sites.ts';

export type PagesParts = { db: Database; now: () => Instant; admit: Admit; log: Logger };

export async function openPages(
  { appsDomain, baseUrl }: { appsDomain: string; baseUrl: URL },
  { db, now, admit, log }: PagesParts,
): Promise<AsyncDisposable & { server: Server }> {
  const lookUp = (host: string) => siteState(db, { host, appsDomain, baseUrl, now: now() });
  const { server, close } = await startPageServer(admit, lookUp, log);
  return { server, [Symbol.asyncDispose]: close };
}
