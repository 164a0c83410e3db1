/** The door of this layer: the HTTP API and the dashboard, behind the edge. */
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { budgetOf } from '../deployment/limits/host-budget.ts';
import type { Engine } from '../engine/engine.ts';
import type { ApiSettings, Service } from './api-service.ts';
import { createApp } from './app.ts';
import { readDashboard } from './dashboard/bundle.ts';

/** Where `npm run serve`, `npm start` and `npm test` build it. */
const dashboardFolder = join(import.meta.dirname, '../../web/dist');

export type OpenApiSettings = Omit<ApiSettings, 'limits' | 'termsUrl' | 'metricsToken'> &
  ApiSettings['limits'] &
  Parameters<typeof budgetOf>[1] & {
    termsUrl: ApiSettings['termsUrl'] | undefined;
    metricsToken: ApiSettings['metricsToken'] | undefined;
  };

export type ApiParts = Omit<Service, 'settings' | 'budget' | 'dashboard' | 'engine'> & {
  engine: Service['engine'] & Pick<Engine, 'capacity'>;
  /** Has it listen at a socket. */
  admit: (listen: (socketPath: string) => Promise<unknown>) => Promise<void>;
  log: FastifyBaseLogger;
};

/** Resolves when requests are answered. Closing it ends those that are under way. */
export async function openApi(settings: OpenApiSettings, { admit, log, ...parts }: ApiParts): Promise<AsyncDisposable> {
  const { baseUrl, startRate, rate, lifetimeMs, extensionMs, extensions, metricsToken, tiers, signInRate } = settings;
  const { strangers, termsUrl, proofOfWork, documentRate, networkPool } = settings;
  const { engine } = parts;
  await using opening = new AsyncDisposableStack();
  // The first answer asks the engine, so that no later one has to.
  await engine.capacity();
  const app = await createApp(
    {
      ...parts,
      budget: async () => budgetOf(await engine.capacity(), settings),
      dashboard: await readDashboard(dashboardFolder, settings),
      settings: {
        ...{ baseUrl, startRate, rate, signInRate, tiers, strangers, limits: { lifetimeMs, extensionMs, extensions } },
        ...{ networkPool, documentRate, proofOfWork, ...(termsUrl && { termsUrl }) },
        ...(metricsToken !== undefined && { metricsToken }),
      },
    },
    log,
  );
  opening.defer(() => app.close());
  await admit((path) => app.listen({ path }));
  const open = opening.move();
  return { [Symbol.asyncDispose]: () => open.disposeAsync() };
}
