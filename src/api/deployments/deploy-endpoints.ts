/** Starting and updating deployments. Both write intent in one transaction and wake the loop. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Deployment } from '../../deployment/deployment.ts';
import { serializeByKey } from '../../lib/concurrency.ts';
import type { Result } from '../../lib/problem.ts';
import { proofHeader } from '../../lib/proof-of-work.ts';
import { originOf } from '../admission/caller-admission.ts';
import { payerOf } from '../admission/plans.ts';
import { createProofs } from '../admission/proof-challenges.ts';
import type { Service } from '../api-service.ts';
import { type Documents, refuseBeyond, Strict } from '../configuration/documents.ts';
import type { Bounds } from '../configuration/reading/read-document.ts';
import {
  GitHeaders,
  GitQuery,
  readConfigurationOrSource,
  receiveSources,
  type SourceConfiguration,
  SourceName,
} from '../configuration/source-bodies.ts';
import { addNamedDomains, withNamed } from '../custom-domains/named-domains.ts';
import { refusalsOfFirstSnapshots, refusalsOfStarts, refusalsOfUpdates } from '../description/refusals.ts';
import {
  applicationOf,
  authMethodOf,
  type Caller,
  findCaller,
  requireCaller,
  TokenQuery,
  UpdateQuery,
} from '../requests/callers.ts';
import { orRefuse } from '../requests/errors.ts';
import { TokenPath } from '../requests/token-places.ts';
import { extendRecord, statusRecord } from './deployment-records.ts';
import { DryRunRecord, ErrorRecord, ProofRequiredRecord, StartRecord, UpdateRecord } from './deployment-schemas.ts';
import { type Links, linksOf } from './links.ts';
import { previewOnce, surprisesOf } from './previewed-update.ts';
import { readIdempotencyKey, type Started, type Starting, start, storedAnswer } from './start-deployment.ts';
import { update } from './update-deployment.ts';

const DryRun = Type.Optional(
  Type.Enum(['true', 'false'], {
    description: 'Only check the configuration, the plan, and the free capacity. Changes nothing.',
  }),
);
const StartQuery = Type.Object({
  ...TokenQuery.properties,
  strict: Strict,
  dryRun: DryRun,
  name: SourceName,
  ...GitQuery,
});
const ChangeQuery = Type.Object({
  ...UpdateQuery.properties,
  name: SourceName,
  ...GitQuery,
  strict: Strict,
  dryRun: DryRun,
  snapshot: Type.Optional(
    Type.Enum(['true', 'false'], {
      description:
        'Whether to take a snapshot before an update of a pod with volumes. The update fails if the snapshot fails. Default: the setting from `POST /setSnapshotWishes`.',
    }),
  ),
});

/** Public clients also send the token as a part of the path. */
const inPath = 'The token is part of the path. Prefer `Authorization: Bearer`, which fewer logs record.';
const startRoutes = [
  {
    path: '/startUserDeployment',
    operationId: 'startDeployment',
    description:
      'Deploys the application. Without a token, the service creates a session; only this response contains its token. `GET /getDeploymentStatus` reports when the application runs.',
  },
  {
    path: '/startUserDeployment/:sessionToken',
    operationId: 'startDeploymentInSession',
    description: `As \`POST /startUserDeployment\`. ${inPath}`,
    exampleOf: 'startDeployment',
    params: TokenPath,
  },
];
const updateRoutes = [
  {
    path: '/updateUserDeployment',
    operationId: 'updateDeployment',
    description:
      'Applies the configuration to the deployment of the same name. The URL and the volumes stay. The current revision serves until the new one is ready.',
  },
  {
    path: '/updateUserDeployment/:sessionToken',
    operationId: 'updateDeploymentInSession',
    description: `As \`POST /updateUserDeployment\`. ${inPath}`,
    exampleOf: 'updateDeployment',
    params: TokenPath,
  },
];

const UpdateHeaders = Type.Object(GitHeaders);
const StartHeaders = Type.Object({
  ...GitHeaders,
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 16,
      maxLength: 200,
      description:
        'A random key, such as a UUID. A repeat within 24 hours returns the same deployment. A key of another form requires a token.',
    }),
  ),
  [proofHeader.toLowerCase()]: Type.Optional(
    Type.String({ maxLength: 4096, description: 'The solution of a challenge, if the server requires one.' }),
  ),
});

const StartAnswer = Type.Union([StartRecord, DryRunRecord]);
const UpdateAnswer = Type.Union([UpdateRecord, DryRunRecord]);

export function deployEndpoints(service: Service, documents: Documents): FastifyPluginAsyncTypebox {
  return async (app) => {
    const proofs = createProofs(service);
    const turns = serializeByKey();
    documents.receive(app);
    receiveSources(app, service);

    /** The proof is checked last, so that it is only used up by an admitted start. Accounts have plans instead. */
    const startProven = async (request: FastifyRequest, requested: Starting): Promise<Result<Started>> => {
      const known = requested.key && (await storedAnswer(service, requested.key));
      if (known) return known;
      const isFree = requested.isTrial || payerOf(requested.caller) !== null;
      const unproven = isFree ? undefined : await proofs.refuse(request);
      return unproven ? { ok: false, problem: unproven } : await start(service, requested);
    };

    /** A retry that overlaps the first attempt waits for it. Both have the same proof, which is used up once. */
    const startOnce = (request: FastifyRequest, requested: Starting): Promise<Result<Started>> => {
      const work = () => startProven(request, requested);
      return requested.key ? turns(requested.key.keyHash, work) : work();
    };

    const linksFor = (deployment: Deployment, caller: Caller | undefined): Links =>
      linksOf(deployment, {
        baseUrl: service.settings.baseUrl,
        callerKind: caller?.kind ?? 'session',
        hasDashboard: service.dashboard !== undefined,
      });

    for (const { path, ...own } of startRoutes) {
      app.post(
        path,
        {
          config: { limit: 'start', isDocument: true, takesSources: true },
          schema: {
            ...own,
            summary: 'Start a deployment',
            tags: ['deployments'],
            access: 'optional',
            refusals: [...refusalsOfStarts, 'document_unavailable'],
            querystring: StartQuery,
            headers: StartHeaders,
            response: { 200: StartAnswer, '4xx': ErrorRecord, 429: ProofRequiredRecord, 503: ErrorRecord },
          },
        },
        async (request, reply) => {
          const configuration = orRefuse(await readConfigurationOrSource(documents, service, request, reply));
          const caller = orRefuse(await findCaller(service, request, request.query));

          const { document, spec, findings, source } = configuration;
          const key = readIdempotencyKey(request, caller, document);
          const origin = originOf(request, service.settings);
          const isTrial = request.query.dryRun === 'true';
          const explain = (bounds: Bounds) => refuseBeyond(documents, request, { document, bounds });
          const requested = { document, spec, caller, origin, key, source, isTrial, explain };
          const started = orRefuse(await startOnce(request, requested));
          if (isTrial) return dryRunRecord('started', configuration);

          const { deployment, sessionToken } = started;
          const named = await addNamedDomains(service, deployment, spec);
          const { applicationName, environment } = deployment;
          const { termsUrl } = service.settings;
          if (termsUrl) reply.header('Link', `<${termsUrl.href}>; rel="terms-of-service"`);
          const terms = termsUrl ? ` Its use is subject to ${termsUrl.href}` : '';
          return {
            message:
              `Application ${applicationName} is being deployed. Its address goes live as soon as it is ready. ` +
              `Keep the sessionToken: it is the key to this deployment.${terms}${freeWords(caller)}`,
            url: service.urlOf(deployment.label).origin,
            sessionToken,
            applicationName,
            environment,
            status: statusRecord(deployment, service.now()),
            extend: extendRecord(deployment, service.settings.limits, service.now()),
            claim: { claimed: deployment.claimedAt !== null },
            links: linksFor(deployment, caller),
            ...withNamed(findings, named),
          };
        },
      );
    }

    for (const { path, ...own } of updateRoutes) {
      app.post(
        path,
        {
          config: { isDocument: true, takesSources: true },
          schema: {
            ...own,
            summary: 'Update a deployment',
            tags: ['deployments'],
            access: 'caller',
            refusals: [...refusalsOfUpdates, ...refusalsOfFirstSnapshots, 'document_unavailable'],
            querystring: ChangeQuery,
            headers: UpdateHeaders,
            response: { 200: UpdateAnswer, '4xx': ErrorRecord, 503: ErrorRecord },
          },
        },
        async (request, reply) => {
          const configuration = orRefuse(await readConfigurationOrSource(documents, service, request, reply));
          const caller = orRefuse(await requireCaller(service, request, request.query));
          const { document, spec, source } = configuration;
          const { environment } = request.query;
          const found = orRefuse(
            applicationOf(caller, {
              applicationName: spec.name,
              ...(environment !== undefined && { environment }),
            }),
          );

          const origin = originOf(request, service.settings);
          const isTrial = request.query.dryRun === 'true';
          const token = caller.kind === 'session' ? caller.token : undefined;
          const preview = previewOnce(service, found, { spec, source });
          const surprises = await surprisesOf(spec, preview);
          const findings = {
            ...configuration.findings,
            warnings: [...configuration.findings.warnings, ...surprises],
          };
          const explain = (bounds: Bounds) => refuseBeyond(documents, request, { document, bounds });
          const deployment = orRefuse(
            await update(service, {
              document,
              spec,
              current: found,
              preview,
              token,
              origin,
              askedBy: authMethodOf(caller),
              snapshotsBefore: request.query.snapshot === undefined ? undefined : request.query.snapshot === 'true',
              source,
              isTrial,
              explain,
            }),
          );
          if (isTrial) return dryRunRecord('updated', { ...configuration, findings });
          const named = await addNamedDomains(service, deployment, spec);
          return {
            message:
              `Application ${deployment.applicationName} is being updated. Its address stays the same. ` +
              'Keep the sessionToken: it stays the same too.',
            url: service.urlOf(deployment.label).origin,
            status: statusRecord(deployment, service.now()),
            links: linksFor(deployment, caller),
            ...withNamed(findings, named),
          };
        },
      );
    }
  };
}

/** Users with the token of a claimed session may expect that its new deployments are claimed, too. */
function freeWords(caller: Caller | undefined): string {
  if (caller?.kind !== 'session' || caller.accountId === null || payerOf(caller) !== null) return '';
  return ' It is free and expires, because the account does not allow its session tokens to start claimed deployments.';
}

function dryRunRecord(what: 'started' | 'updated', { spec, findings, source }: SourceConfiguration) {
  const message = `Application ${spec.name} can be ${what}. This was a dry run: nothing was changed.`;
  const read = source && { source: { document: source.document, written: source.written } };
  return { message, applicationName: spec.name, dryRun: true as const, ...read, ...findings };
}
