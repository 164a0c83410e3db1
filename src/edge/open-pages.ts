/** The pages behind HAProxy: for sites that are not live. */
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import type { Instant } from '../deployment/deployment.ts';
import { type CertificateReport, certificateWait } from '../lib/certificate-report.ts';
import { challengeAnswer } from '../store/acme.ts';
import type { Database } from '../store/database.ts';
import type { Admit } from './doors.ts';
import { startPageServer } from './pages/page-server.ts';
import { siteState } from './served-sites.ts';

export type PagesParts = {
  db: Database;
  now: () => Instant;
  admit: Admit;
  log: Logger;
  /** The edge's certificates, and the waiting hosts. */
  certificates?: () => CertificateReport | undefined;
};

export type PageSettings = {
  appsDomain: string;
  baseUrl: URL;
  /** An authority issues certificates. */
  acmeDirectory: URL | undefined;
};

export async function openPages(
  { appsDomain, baseUrl, acmeDirectory }: PageSettings,
  { db, now, admit, log, certificates }: PagesParts,
): Promise<AsyncDisposable & { server: Server }> {
  const lookUp = (host: string) => siteState(db, { host, appsDomain, baseUrl, now: now() });
  const answer = (host: string, token: string) => challengeAnswer(db, { host, token, now: now() });
  const publicPort = Number(baseUrl.port || 443);
  const challenges = acmeDirectory && {
    answer,
    publicPort,
    apiHost: baseUrl.hostname,
    wait: (host: string) => certificateWait(certificates?.(), host),
  };
  const { server, close } = await startPageServer(admit, lookUp, log, challenges);
  return { server, [Symbol.asyncDispose]: close };
}
