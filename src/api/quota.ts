/** What a caller may have, and what of it is taken: an agent asks before it starts, not after it was refused. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { maxDocumentBytes } from '../config/source.ts';
import type { Usage } from '../deployment/tier.ts';
import type { Rate } from '../lib/rate-limit.ts';
import { usageOf } from '../store/accounts.ts';
import { usageOfClient } from '../store/origins.ts';
import { type Caller, findCaller, TokenQuery } from './callers.ts';
import { sendProblem } from './errors.ts';
import { type Plan, planOfCaller } from './plans.ts';
import { ErrorRecord } from './records.ts';
import type { Service } from './service.ts';
import { originOf } from './standing.ts';

const Quota = Type.Object({ used: Type.Integer({ minimum: 0 }), most: Type.Integer({ minimum: 0 }) });
const RateRecord = Type.Object({ most: Type.Integer(), perSeconds: Type.Number() });
const Minutes = Type.Union([Type.Number(), Type.Null()], { description: 'null: deployments do not expire.' });

export const LimitsRecord = Type.Object(
  {
    plan: Type.Union([Type.String(), Type.Null()], { description: 'The plan of the account; null without one.' }),
    deployments: Type.Object(Quota.properties, { description: 'Active ones: of the account, or from this address.' }),
    sessionDeployments: Type.Optional(
      Type.Object(Quota.properties, { description: 'Without an account: active ones of this session.' }),
    ),
    memory: Type.Object(Quota.properties, { description: 'Bytes that these are promised.' }),
    lifetimeMinutes: Minutes,
    extensions: Type.Integer({ description: 'How many each deployment without an account has.' }),
    extensionMinutes: Type.Number(),
    reservations: Type.Boolean({ description: 'Whether POST /addDeploymentReservation is allowed.' }),
    rates: Type.Object({
      starts: RateRecord,
      requests: Type.Object(RateRecord.properties, {
        description: 'Of one address, and of one token; what is left is in the header RateLimit.',
      }),
    }),
    configurationBytes: Type.Integer({ description: 'The largest configuration.' }),
  },
  { description: 'What the caller may have, and what of it is taken.' },
);

export function quotaEndpoints(service: Service): FastifyPluginAsyncTypebox {
  const { limits, startRate, rate, strangers } = service.settings;
  return async (app) => {
    app.get(
      '/api/limits',
      {
        schema: {
          operationId: 'getLimits',
          summary: 'What the caller may have, and what of it is taken',
          querystring: TokenQuery,
          response: { 200: LimitsRecord, '4xx': ErrorRecord },
        },
      },
      async (request, reply) => {
        const caller = await findCaller(service, request, request.query);
        if (!caller.ok) return sendProblem(reply, caller.problem);
        const plan = await planOfCaller(service, caller.value);
        const { client } = originOf(request, service.settings);
        return {
          ...(plan ? await quotaOfPlan(service, plan) : await quotaOfStranger(client, caller.value)),
          extensions: limits.extensions,
          extensionMinutes: limits.extensionMs / 60_000,
          rates: { starts: rateRecord(startRate), requests: rateRecord(rate) },
          configurationBytes: maxDocumentBytes,
        };
      },
    );
  };

  async function quotaOfStranger(client: string, caller: Caller | undefined) {
    const most = { deployments: strangers.perAddress, memoryBytes: strangers.memoryBytesPerAddress };
    return {
      plan: null,
      ...quota(await usageOfClient(service.db, client, service.now()), most),
      sessionDeployments: { used: caller?.deployments.length ?? 0, most: strangers.perSession },
      lifetimeMinutes: limits.lifetimeMs / 60_000,
      reservations: false,
    };
  }
}

async function quotaOfPlan({ db, now }: Service, { accountId, tier }: Plan) {
  return {
    plan: tier.name,
    ...quota(await usageOf(db, accountId, now()), tier),
    lifetimeMinutes: tier.lifetimeMs === null ? null : tier.lifetimeMs / 60_000,
    reservations: tier.allowsReservations,
  };
}

function quota(used: Usage, most: Usage) {
  return {
    deployments: { used: used.deployments, most: most.deployments },
    memory: { used: used.memoryBytes, most: most.memoryBytes },
  };
}

function rateRecord({ count, windowMs }: Rate) {
  return { most: count, perSeconds: windowMs / 1000 };
}
