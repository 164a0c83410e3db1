/** The status of one deployment, for those who wait for it. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { sendProblem } from './errors.ts';
import { ErrorRecord, ReservationRecord, reservationRecord } from './records.ts';
import type { Service } from './service.ts';
import { ApplicationQuery, findApplication, tokenOf } from './sessions.ts';

export function statusEndpoints(service: Service): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/getDeploymentStatus',
      {
        schema: {
          operationId: 'getDeploymentStatus',
          summary: 'Get the status of a deployment',
          querystring: ApplicationQuery,
          response: { 200: ReservationRecord, '4xx': ErrorRecord },
        },
      },
      async (request, reply) => {
        const { applicationName } = request.query;
        const found = await findApplication(service, tokenOf(request, request.query), applicationName);
        if (!found.ok) return sendProblem(reply, found.problem);
        return reservationRecord(found.value, service.urlOf(found.value.label));
      },
    );
  };
}
