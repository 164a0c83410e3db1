/** Starting and updating deployments. Both write intent in one transaction and wake the loop. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Result } from '../lib/problem.ts';
import { proofHeader } from '../lib/proof-of-work.ts';
import { createTurns } from '../lib/turns.ts';
import { applicationOf, findCaller, requireCaller, TokenQuery, UpdateQuery } from './callers.ts';
import { readConfiguration, readDocuments } from './documents.ts';
import { sendProblem } from './errors.ts';
import { readIdempotencyKey, recallAnswer } from './idempotency.ts';
import { createProofs } from './proof-of-work.ts';
import { ErrorRecord, extendRecord, ProofRequiredRecord, StartRecord, statusRecord, UpdateRecord } from './records.ts';
import type { Service } from './service.ts';
import { originOf } from './standing.ts';
import { type Started, type Starting, start } from './start.ts';
import { update } from './update.ts';

const StartHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 16,
      maxLength: 200,
      description: 'The same key, body and client within 24 hours answer the same deployment.',
    }),
  ),
  [proofHeader.toLowerCase()]: Type.Optional(
    Type.String({ maxLength: 4096, description: 'The solution of a challenge, where the server asks for one.' }),
  ),
});

export function deployEndpoints(service: Service): FastifyPluginAsyncTypebox {
  return async (app) => {
    const proofs = createProofs(service);
    const turns = createTurns();
    readDocuments(app);

    /** The last thing: a proof is spent on a start that nothing else stands in the way of. Accounts have plans instead. */
    const startProven = async (request: FastifyRequest, asked: Starting): Promise<Result<Started>> => {
      const known = asked.key && (await recallAnswer(service, asked.key));
      if (known) return known;
      const isAccount = (asked.caller?.accountId ?? null) !== null;
      const unproven = isAccount ? undefined : await proofs.refuse(request);
      return unproven ? { ok: false, problem: unproven } : await start(service, asked);
    };

    /** A retry that overlaps the first try waits for it: their proof is one, and is spent once. */
    const startOnce = (request: FastifyRequest, asked: Starting): Promise<Result<Started>> => {
      const work = () => startProven(request, asked);
      return asked.key ? turns(asked.key.keyHash, work) : work();
    };

    app.post(
      '/startUserDeployment',
      {
        config: { limit: 'start', isDocument: true },
        schema: {
          operationId: 'startDeployment',
          summary: 'Start a deployment',
          querystring: TokenQuery,
          headers: StartHeaders,
          response: { 200: StartRecord, '4xx': ErrorRecord, 429: ProofRequiredRecord, 503: ErrorRecord },
        },
      },
      async (request, reply) => {
        const configuration = readConfiguration(request.body);
        if (!configuration.ok) return sendProblem(reply, configuration.problem);
        const caller = await findCaller(service, request, request.query);
        if (!caller.ok) return sendProblem(reply, caller.problem);

        const key = readIdempotencyKey(request, caller.value, configuration.value.document);
        const origin = originOf(request, service.settings);
        const asked = { ...configuration.value, caller: caller.value, origin, key };
        const started = await startOnce(request, asked);
        if (!started.ok) return sendProblem(reply, started.problem);

        const { deployment, sessionToken } = started.value;
        const { applicationName, environment } = deployment;
        const { termsUrl } = service.settings;
        if (termsUrl) reply.header('Link', `<${termsUrl.href}>; rel="terms-of-service"`);
        const terms = termsUrl ? ` Its use is subject to ${termsUrl.href}` : '';
        return {
          message: `Application ${applicationName} is being deployed. Its address goes live as soon as it is ready.${terms}`,
          url: service.urlOf(deployment.label).origin,
          sessionToken,
          applicationName,
          environment,
          status: statusRecord(deployment),
          extend: extendRecord(deployment, service.settings.limits),
          claim: { claimed: deployment.claimedAt !== null },
        };
      },
    );

    app.post(
      '/updateUserDeployment',
      {
        config: { isDocument: true },
        schema: {
          operationId: 'updateDeployment',
          summary: 'Update a deployment',
          querystring: UpdateQuery,
          response: { 200: UpdateRecord, '4xx': ErrorRecord, 503: ErrorRecord },
        },
      },
      async (request, reply) => {
        const configuration = readConfiguration(request.body);
        if (!configuration.ok) return sendProblem(reply, configuration.problem);
        const caller = await requireCaller(service, request, request.query);
        if (!caller.ok) return sendProblem(reply, caller.problem);
        const { environment } = request.query;
        const found = applicationOf(caller.value, {
          applicationName: configuration.value.spec.name,
          ...(environment !== undefined && { environment }),
        });
        if (!found.ok) return sendProblem(reply, found.problem);

        const origin = originOf(request, service.settings);
        const updated = await update(service, { ...configuration.value, current: found.value, origin });
        if (!updated.ok) return sendProblem(reply, updated.problem);
        const deployment = updated.value;
        return {
          message: `Application ${deployment.applicationName} is being updated. Its address stays the same.`,
          url: service.urlOf(deployment.label).origin,
          status: statusRecord(deployment),
        };
      },
    );
  };
}
