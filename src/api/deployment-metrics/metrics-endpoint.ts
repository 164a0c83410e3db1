/** Resource usage of a deployment's pods and requests to its site, for its owner. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import {
  type DeploymentMetrics,
  metricsRetentionMs,
  storedPeriodMs,
} from '../../deployment/metrics/deployment-metrics.ts';
import { createMeasured } from '../../deployment/metrics/measured.ts';
import { refuse } from '../../lib/problem.ts';
import { storedMetricsSince } from '../../store/stored-metrics.ts';
import type { Service } from '../api-service.ts';
import { ErrorRecord } from '../deployments/deployment-schemas.ts';
import { refusalsOfApplications } from '../description/refusals.ts';
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
        '`hour`: the last hour in steps of 10 seconds. `day`: the last day in steps of 5 minutes, for claimed deployments only.',
    }),
  ),
});

const elsewhere = 'Another process of this service is currently measuring. Try again in a minute.';
const unmeasured =
  'This service does not measure the resources of pods: they run on other machines, which have their own metrics. It measures requests at this edge.';

export function deploymentMetricsEndpoint(service: Service): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/getDeploymentMetrics',
      {
        schema: {
          operationId: 'getDeploymentMetrics',
          summary: 'Get the resource use of the pods of a deployment and the requests to its site',
          tags: ['status'],
          description: 'Returns metrics of each pod, each volume, and the site. Measured every 10 seconds.',
          access: 'caller',
          refusals: refusalsOfApplications,
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
        const reported = { ...(message && { message }), ...parameterWarnings(request) };
        if (request.query.range !== 'day') return { ...hourRecord(deployment, metrics, now), ...reported };
        if (deployment.claimedAt === null) throw new RefusedRequest(needsClaim.problem);
        const kept = await storedMetricsSince(service.db, deployment.id, now - metricsRetentionMs - storedPeriodMs);
        return { ...dayRecord(deployment, metrics, kept, now), ...reported };
      },
    );
  };
}

const needsClaim = refuse(
  'invalid_request',
  'The service keeps a full day for claimed deployments only.',
  'Use range=hour, or claim the deployment.',
);
