/** What the pods of a deployment use and what its site is asked, for its owner. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { type DeploymentMetrics, keptForMs, keptPeriodMs } from '../../deployment/metrics/deployment-metrics.ts';
import { createMeasured } from '../../deployment/metrics/measured.ts';
import { refuse } from '../../lib/problem.ts';
import { keptMetricsSince } from '../../store/kept-metrics.ts';
import type { Service } from '../api-service.ts';
import { ErrorRecord } from '../deployments/deployment-schemas.ts';
import { ApplicationFields, findApplication } from '../requests/callers.ts';
import { orRefuse, RefusedRequest } from '../requests/errors.ts';
import { parameterWarnings } from '../requests/query-parameters.ts';
import { dayRecord, hourRecord, MetricsRecord } from './metrics-records.ts';

const MetricsQuery = Type.Object({
  ...ApplicationFields.properties,
  range: Type.Optional(
    Type.Enum(['hour', 'day'], {
      default: 'hour',
      description:
        'The last hour in steps of 10 seconds, or of a claimed deployment the last day in steps of 5 minutes.',
    }),
  ),
});

const elsewhere = 'Another process of this service is measuring at the moment. Ask again in a minute.';
const unmeasured =
  'What pods use is not measured here: they run on other machines, which have metrics of their own. Requests are measured at this edge.';

export function deploymentMetricsEndpoint(service: Service): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/getDeploymentMetrics',
      {
        schema: {
          operationId: 'getDeploymentMetrics',
          summary: 'Get what the pods of a deployment use, and the requests to its site',
          querystring: MetricsQuery,
          response: { 200: MetricsRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const deployment = orRefuse(await findApplication(service, request, request.query));
        const now = service.now();
        const samples = service.samples?.();
        const metrics: DeploymentMetrics = samples?.of(deployment.id) ?? createMeasured().of(deployment.id, now);
        const message = !samples ? elsewhere : metrics.arePodsMeasured ? undefined : unmeasured;
        const told = { ...(message && { message }), ...parameterWarnings(request) };
        if (request.query.range !== 'day') return { ...hourRecord(deployment, metrics, now), ...told };
        if (deployment.claimedAt === null) throw new RefusedRequest(needsClaim.problem);
        const kept = await keptMetricsSince(service.db, deployment.id, now - keptForMs - keptPeriodMs);
        return { ...dayRecord(deployment, metrics, kept, now), ...told };
      },
    );
  };
}

const needsClaim = refuse(
  'invalid_request',
  'A whole day is kept for claimed deployments only.',
  'Ask for range=hour, or claim the deployment.',
);
