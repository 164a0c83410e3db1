/** Whether the service lives (`/healthz`) and whether it can do its work (`/readyz`). */
import type { FastifyPluginAsync } from 'fastify';
import type { Problem } from '../lib/problem.ts';
import { installationId } from '../store/installation.ts';
import { sendProblem } from './errors.ts';
import type { Service } from './service.ts';

const engineAway: Problem = {
  code: 'engine_unreachable',
  error: 'The container engine does not answer.',
  hint: 'What runs keeps running, and what is asked for is done when the engine answers: start it, or look at its log.',
  retryAfterSeconds: 5,
};

export function healthEndpoints(service: Service): FastifyPluginAsync {
  return async (app) => {
    const options = { config: { limit: 'probe' as const }, schema: { hide: true } };
    app.get('/healthz', options, async () => ({ status: 'ok' }));
    app.get('/readyz', options, async (_, reply) => {
      await installationId(service.db);
      const fault = await service.engine.ping().catch((error: unknown) => error);
      if (fault !== undefined) return sendProblem(reply, engineAway);
      return { status: 'ok' };
    });
  };
}
