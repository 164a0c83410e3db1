/** The limits and the usage of a caller, so that an agent can check them before a start instead of after a refusal. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { maxDocumentBytes } from '../../config/document/source.ts';
import { type Caps, capsOf, strangerCapsOf } from '../../deployment/limits/count-limits.ts';
import type { Usage } from '../../deployment/limits/plan-tier.ts';
import { namespaceOf } from '../../images/pushed/repository-names.ts';
import type { Rate } from '../../lib/rate-limit.ts';
import { usageOf } from '../../store/accounts.ts';
import { usageOfClient } from '../../store/origins.ts';
import { usageOfSession } from '../../store/usage.ts';
import type { Service } from '../api-service.ts';
import { ErrorRecord } from '../deployments/deployment-schemas.ts';
import { type Caller, findCaller, TokenQuery } from '../requests/callers.ts';
import { orRefuse } from '../requests/errors.ts';
import { originOf } from './caller-admission.ts';
import { type Plan, planOfCaller } from './plans.ts';

const Quota = Type.Object({ used: Type.Integer({ minimum: 0 }), most: Type.Integer({ minimum: 0 }) });
const RateRecord = Type.Object({ most: Type.Integer(), perSeconds: Type.Number() });
const Minutes = Type.Union([Type.Number(), Type.Null()], { description: 'null: deployments do not expire.' });

export const LimitsRecord = Type.Object(
  {
    plan: Type.Union([Type.String(), Type.Null()], { description: 'The plan of the account; null without one.' }),
    deployments: Type.Object(Quota.properties, {
      description: 'Active deployments of the account, or from this address.',
    }),
    sessionDeployments: Type.Optional(
      Type.Object(Quota.properties, { description: 'Active deployments of this session. Only without an account.' }),
    ),
    memory: Type.Object(Quota.properties, { description: 'Memory reserved for these deployments, in bytes.' }),
    containers: Type.Object(Quota.properties, { description: 'All replicas of all pods of these deployments.' }),
    volumes: Type.Object(Quota.properties, { description: 'Volumes of these deployments.' }),
    gpus: Type.Object(Quota.properties, {
      description: 'GPUs of these deployments; each container with `useGPU` has one.',
    }),
    sessionContainers: Type.Optional(
      Type.Object(Quota.properties, { description: 'Containers of this session. Only without an account.' }),
    ),
    sessionVolumes: Type.Optional(
      Type.Object(Quota.properties, { description: 'Volumes of this session. Only without an account.' }),
    ),
    deployment: Type.Object(
      { containers: Type.Integer(), volumes: Type.Integer() },
      { description: 'The maximum for one deployment.' },
    ),
    lifetimeMinutes: Minutes,
    extensions: Type.Integer({ description: 'The number of extensions of each deployment without an account.' }),
    extensionMinutes: Type.Number(),
    reservations: Type.Boolean({ description: 'Whether POST /addDeploymentReservation is allowed.' }),
    exec: Type.Boolean({
      description: 'Whether POST /execInPod is allowed in the deployments that count towards these limits.',
    }),
    rates: Type.Object({
      starts: RateRecord,
      requests: Type.Object(RateRecord.properties, {
        description: 'For each address and for each token. The header RateLimit contains the rest.',
      }),
    }),
    configurationBytes: Type.Integer({ description: 'The largest configuration.' }),
    images: Type.Object(
      {
        namespace: Type.Optional(
          Type.String({ description: 'The prefix of the names of all images that the caller pushes.' }),
        ),
        platform: Type.String({ description: 'The platform that images must support, such as `linux/amd64`.' }),
        fillsVolumes: Type.Boolean({
          description: 'Whether new volumes start with the files that the image has at their paths.',
        }),
      },
      { description: 'Properties of pushed images.' },
    ),
  },
  { description: 'The limits of the caller and the current use.' },
);

export function quotaEndpoints(service: Service): FastifyPluginAsyncTypebox {
  const { limits, startRate, rate, strangers } = service.settings;
  return async (app) => {
    app.get(
      '/api/limits',
      {
        schema: {
          operationId: 'getLimits',
          summary: 'Get the limits of the caller and the current use',
          tags: ['accounts'],
          description: 'Without a token: the limits of a first start from this address.',
          access: 'optional',
          querystring: TokenQuery,
          response: { 200: LimitsRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const caller = orRefuse(await findCaller(service, request, request.query));
        const plan = await planOfCaller(service, caller);
        const { client } = originOf(request, service.settings);
        return {
          ...(plan ? await quotaOfPlan(service, plan) : await quotaOfStranger(client, caller)),
          extensions: limits.extensions,
          extensionMinutes: limits.extensionMs / 60_000,
          rates: { starts: rateRecord(startRate), requests: rateRecord(rate) },
          configurationBytes: maxDocumentBytes,
          images: { ...namespaceRecord(caller), platform: platformHere, fillsVolumes: service.engine.fillsVolumes },
        };
      },
    );
  };

  async function quotaOfStranger(client: string, caller: Caller | undefined) {
    const { containersPerSession, volumesPerSession, ...caps } = strangerCapsOf(strangers);
    const sessionId = caller?.kind === 'session' ? caller.sessionId : undefined;
    const inSession = await usageOfSession(service.db, sessionId, service.now());
    const most = { ...caps, deployments: strangers.perAddress, memoryBytes: strangers.memoryBytesPerAddress };
    return {
      plan: null,
      ...(await quota(service, await usageOfClient(service.db, client, service.now()), most)),
      sessionDeployments: { used: inSession.deployments, most: strangers.perSession },
      sessionContainers: { used: inSession.containers, most: containersPerSession },
      sessionVolumes: { used: inSession.volumes, most: volumesPerSession },
      lifetimeMinutes: limits.lifetimeMs / 60_000,
      reservations: false,
      exec: service.engine.exec !== undefined && strangers.allowsExec === true,
    };
  }
}

async function quotaOfPlan(service: Service, { accountId, tier }: Plan) {
  return {
    plan: tier.name,
    ...(await quota(service, await usageOf(service.db, accountId, service.now()), { ...tier, ...capsOf(tier) })),
    lifetimeMinutes: tier.lifetimeMs === null ? null : tier.lifetimeMs / 60_000,
    reservations: tier.allowsReservations,
    exec: service.engine.exec !== undefined && tier.allowsExec === true,
  };
}

async function quota({ budget }: Service, used: Usage, most: Usage & Caps) {
  // While the engine does not respond, the server's capacity is unknown.
  const { gpus: ofServer = 0 } = await budget().catch(() => ({ gpus: most.gpus }));
  return {
    deployments: { used: used.deployments, most: most.deployments },
    memory: { used: used.memoryBytes, most: most.memoryBytes },
    containers: { used: used.containers, most: most.containers },
    volumes: { used: used.volumes, most: most.volumes },
    gpus: { used: used.gpus, most: Math.min(most.gpus, ofServer) },
    deployment: { containers: most.containersPerDeployment, volumes: most.volumesPerDeployment },
  };
}

/** Containers run where the service does: the edge reaches them by their addresses. */
const platformHere = `linux/${({ x64: 'amd64' } as Partial<Record<string, string>>)[process.arch] ?? process.arch}`;

function namespaceRecord(caller: Caller | undefined) {
  if (caller === undefined) return {};
  return { namespace: namespaceOf(caller) };
}

function rateRecord({ count, windowMs }: Rate) {
  return { most: count, perSeconds: windowMs / 1000 };
}
