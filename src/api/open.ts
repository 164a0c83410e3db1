/** The door of this layer: the HTTP API and the dashboard, behind the edge. */
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { budgetOf } from '../deployment/limits/host-budget.ts';
import type { Engine } from '../engine/engine.ts';
import { createDialer } from '../images/dialer/dialer.ts';
import type { PushedImages } from '../images/pushed/pushed-image-store.ts';
import { finishConnections } from '../lib/finish-connections.ts';
import type { ApiSettings, Service } from './api-service.ts';
import { createApp } from './app.ts';
import { readDashboard, readSite } from './dashboard/bundle.ts';
import type { PushLimits } from './registry/push-allowance.ts';
import { createRegistry } from './registry/registry.ts';

/** HAProxy keeps a connection for a client that is silent for 60 s. */
export const leavingMs = 65_000;

/** The output folder of `npm run serve`, `npm start` and `npm test`. */
const dashboardFolder = join(import.meta.dirname, '../../web/dist');
const siteFolder = join(import.meta.dirname, '../../site/dist');

export type OpenApiSettings = Omit<ApiSettings, 'limits' | 'termsUrl' | 'metricsToken'> &
  ApiSettings['limits'] &
  Parameters<typeof budgetOf>[1] &
  Pick<PushLimits, 'diskFreeBytes'> & {
    pushedBytes: number;
    tlsCertificates: string[] | undefined;
    acmeDirectory: URL | undefined;
    termsUrl: ApiSettings['termsUrl'] | undefined;
    metricsToken: ApiSettings['metricsToken'] | undefined;
  };

export type ApiParts = Omit<
  Service,
  'settings' | 'budget' | 'dashboard' | 'site' | 'dialer' | 'engine' | 'leaving' | 'pushedBlobs'
> & {
  engine: Service['engine'] & Pick<Engine, 'capacity'>;
  /** Makes the API listen on a socket, and the registry of pushed images on another one. */
  admit: Admit;
  admitRegistry: Admit;
  pushed: PushedImages;
  log: FastifyBaseLogger;
};

type Admit = (listen: (socketPath: string) => Promise<unknown>) => Promise<void>;

export type OpenApi = AsyncDisposable & {
  /** Finishes its requests while another service has its sockets. */
  leave(): Promise<void>;
};

/** Resolves when the API answers requests. Closing it ends pending requests. */
export async function openApi(
  settings: OpenApiSettings,
  { admit, admitRegistry, pushed, log, ...parts }: ApiParts,
): Promise<OpenApi> {
  const { baseUrl, startRate, rate, lifetimeMs, extensionMs, extensions, metricsToken, tiers, signInRate } = settings;
  const { strangers, termsUrl, proofOfWork, graceMs, documentRate, networkPool, pushedBytes, diskFreeBytes } = settings;
  const { engine } = parts;
  await using opening = new AsyncDisposableStack();
  // The first call queries the engine, so that later ones need not.
  await engine.capacity();
  const leaving = new AbortController();
  const dialer = opening.use(createDialer());
  const service: Service = {
    ...parts,
    dialer,
    pushedBlobs: pushed.folder,
    leaving: leaving.signal,
    budget: async () => budgetOf(await engine.capacity(), settings),
    dashboard: await readDashboard(dashboardFolder, settings),
    site: await readSite(siteFolder),
    settings: {
      baseUrl,
      startRate,
      rate,
      signInRate,
      tiers,
      strangers,
      limits: { lifetimeMs, extensionMs, extensions },
      snapshots: settings.snapshots,
      graceMs,
      networkPool,
      documentRate,
      proofOfWork,
      ...(termsUrl && { termsUrl }),
      ...(!settings.tlsCertificates && { domains: { hasCertificates: settings.acmeDirectory !== undefined } }),
      ...(metricsToken !== undefined && { metricsToken }),
    },
  };
  const app = await createApp(service, log);
  opening.defer(() => app.close());
  await admit((path) => app.listen({ path }));
  const limits = { maxBytes: pushedBytes, diskFreeBytes };
  const registry = createRegistry({ service, images: pushed, limits }, log);
  opening.defer(() => registry.close());
  await admitRegistry((path) => registry.listen({ path }));
  const open = opening.move();
  return {
    async leave() {
      leaving.abort();
      await Promise.all([app.server, registry.server].map((server) => finishConnections(server, leavingMs)));
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
