/** Whether the service lives (`/healthz`, with its version) and whether it can do its work (`/readyz`). */
import type { FastifyPluginAsync } from 'fastify';
import manifest from '../../../package.json' with { type: 'json' };
import { certificateProblem } from '../../lib/certificate-report.ts';
import type { Problem } from '../../lib/problem.ts';
import { createWriteProbe } from '../../store/write-probe.ts';
import type { Service } from '../api-service.ts';
import { engineUnavailable, RefusedRequest } from '../requests/errors.ts';

/** The operator reads this message. */
const notReady: Problem = {
  ...engineUnavailable,
  hint: 'Running applications keep running. Requests are processed when the engine responds again. Start the engine, or read its log.',
};

const lateHint = 'The current certificate is served until it expires. The log contains the reason.';

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
      const trouble = report && certificateProblem(report, service.now());
      if (trouble !== undefined) throw new RefusedRequest({ code: 'certificate_late', error: trouble, hint: lateHint });
      return { status: 'ok' };
    });
  };
}
