/** Whether the service lives (`/healthz`, with its version) and whether it can do its work (`/readyz`). */
import type { FastifyPluginAsync } from 'fastify';
import manifest from '../../../package.json' with { type: 'json' };
import { certificateTrouble } from '../../lib/certificate-report.ts';
import type { Problem } from '../../lib/problem.ts';
import { createWriteProbe } from '../../store/write-probe.ts';
import type { Service } from '../api-service.ts';
import { engineAway, RefusedRequest } from '../requests/errors.ts';

/** Whoever asks this is the operator. */
const notReady: Problem = {
  ...engineAway,
  hint: 'What is running keeps running, and what is asked for is done when the engine answers again: start it, or look at its log.',
};

const lateHint = 'What is there is served until its end. The log says why there is no newer one.';

export function healthEndpoints(service: Service): FastifyPluginAsync {
  return async (app) => {
    const mayWrite = createWriteProbe(service.db, () => service.now());
    const options = { config: { limit: 'probe' as const }, schema: { hide: true } };
    app.get('/healthz', options, async () => ({ status: 'ok', version: manifest.version }));
    app.get('/readyz', options, async (_) => {
      await mayWrite();
      const answers = await service.engine.ping().then(
        () => true,
        () => false,
      );
      if (!answers) throw new RefusedRequest(notReady);
      const report = service.certificates?.();
      const trouble = report && certificateTrouble(report, service.now());
      if (trouble !== undefined) throw new RefusedRequest({ code: 'certificate_late', error: trouble, hint: lateHint });
      return { status: 'ok' };
    });
  };
}
