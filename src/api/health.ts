/** Whether the service lives (`/healthz`) and whether it can do its work (`/readyz`). */
import type { FastifyPluginAsync } from 'fastify';
import { installationId } from '../store/installation.ts';
import type { Service } from './service.ts';

export function healthEndpoints(service: Service): FastifyPluginAsync {
  return async (app) => {
    const options = { config: { limit: 'probe' as const }, schema: { hide: true } };
    app.get('/healthz', options, async () => ({ status: 'ok' }));
    app.get('/readyz', options, async () => {
      await installationId(service.db);
      return { status: 'ok' };
    });
  };
}
