/** Endpoints for the configuration of a deployment, for its owner only, and for the preview of an update. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { resourceTypes } from '../../config/schema/field-rules.ts';
import { connectionUrlOf } from '../../config/software/connection-url.ts';
import { outlineOf } from '../../config/spec/spec-outline.ts';
import type { Deployment } from '../../deployment/deployment.ts';
import type { Problem } from '../../lib/problem.ts';
import { documentOf, revisionOf } from '../../store/revisions.ts';
import { originOf } from '../admission/caller-admission.ts';
import type { Service } from '../api-service.ts';
import { type Documents, refuseBeyond, Strict } from '../configuration/documents.ts';
import type { Bounds } from '../configuration/reading/read-document.ts';
import {
  GitHeaders,
  GitQuery,
  readConfigurationOrSource,
  receiveSources,
  SourceName,
} from '../configuration/source-bodies.ts';
import { refusalsOfApplications, refusalsOfDocuments } from '../description/refusals.ts';
import {
  ApplicationFields,
  applicationOf,
  authMethodOf,
  findApplication,
  requireCaller,
  UpdateQuery,
} from '../requests/callers.ts';
import { orRefuse } from '../requests/errors.ts';
import { parameterWarnings } from '../requests/query-parameters.ts';
import { ErrorRecord, RemarkFields, Warnings } from './deployment-schemas.ts';
import { PreviewFields, previewOnce } from './previewed-update.ts';
import { desiredOf, findStoredRevision } from './stored-revision.ts';
import { update } from './update-deployment.ts';

export const OutlineRecord = Type.Object({
  revision: Type.Integer({
    minimum: 1,
    description: 'The described revision. Default: the last requested revision.',
  }),
  servingRevision: Type.Optional(
    Type.Integer({ minimum: 1, description: 'The revision that serves; absent until the first revision is ready.' }),
  ),
  pods: Type.Array(
    Type.Object({
      name: Type.String(),
      image: Type.String(),
      paths: Type.Array(Type.String(), { description: 'Public paths; empty for an internal pod.' }),
      ports: Type.Array(Type.Integer()),
      uses: Type.Array(Type.String(), { description: 'Pods that this pod refers to or waits for.' }),
      volumes: Type.Array(Type.Object({ name: Type.String(), size: Type.String(), mountPath: Type.String() })),
      resourceType: Type.Enum([...resourceTypes]),
      replicas: Type.Integer({ minimum: 1 }),
    }),
  ),
  warnings: Warnings,
});

const ConfigurationQuery = Type.Object({
  ...ApplicationFields.properties,
  revision: Type.Optional(
    Type.String({
      pattern: '^[1-9]\\d{0,8}$',
      description: 'The number of a retained revision. Default: the last requested revision.',
      'x-says': 'must be the number of a revision',
    }),
  ),
});

const ConfigurationRecord = Type.Object({
  yaml: Type.String({ description: 'The document as it was sent, including secrets.' }),
  databases: Type.Array(
    Type.Object({
      pod: Type.String(),
      url: Type.String({
        description: 'Includes the password. The database can be reached only from the pods of the deployment.',
      }),
    }),
    { description: 'The addresses at which the pods connect to the databases of the deployment.' },
  ),
  ...OutlineRecord.properties,
});

const PreviewRecord = Type.Object({
  ...PreviewFields,
  refusal: Type.Optional(
    Type.Object(
      {
        code: Type.String(),
        error: Type.String(),
        hint: Type.Optional(Type.String()),
        errors: Type.Optional(Type.Array(Type.String())),
      },
      {
        description: 'Why the service would refuse the update now, for example because of too little free memory.',
      },
    ),
  ),
  servingRevision: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'The revision that keeps serving if the update fails; absent if no revision serves.',
    }),
  ),
  ...RemarkFields,
});

const PreviewQuery = Type.Object({ ...UpdateQuery.properties, name: SourceName, ...GitQuery, strict: Strict });

export function revisionEndpoints(service: Service, documents: Documents): FastifyPluginAsyncTypebox {
  return async (app) => {
    documents.receive(app);
    receiveSources(app, service);

    app.get(
      '/getDeploymentOutline',
      {
        schema: {
          operationId: 'getDeploymentOutline',
          summary: 'Get the pods of a deployment and their connections, without secrets',
          tags: ['status'],
          description:
            'Returns images, paths, ports, volumes, and dependencies of the pods. Contains no values of the configuration.',
          access: 'caller',
          refusals: refusalsOfApplications,
          querystring: ApplicationFields,
          response: { 200: OutlineRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const found = orRefuse(await findApplication(service, request, request.query));
        return { ...(await outline(service, found)), ...parameterWarnings(request) };
      },
    );

    app.get(
      '/getDeploymentConfiguration',
      {
        schema: {
          operationId: 'getDeploymentConfiguration',
          summary: 'Get the configuration of a deployment',
          tags: ['status'],
          description:
            'Returns the document as it was sent, including secrets. `revision` selects an earlier revision.',
          access: 'caller',
          refusals: [...refusalsOfApplications, 'revision_not_found'],
          querystring: ConfigurationQuery,
          response: { 200: ConfigurationRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const found = orRefuse(await findApplication(service, request, request.query));
        const number = orRefuse(await findStoredRevision(service, found, request.query.revision));
        const requested = { ...found, revision: number };
        const yaml = await documentOf(service.db, service.seal, requested.id, requested.revision);
        const databases = await databasesOf(service, requested);
        return { yaml, databases, ...(await outline(service, requested)), ...parameterWarnings(request) };
      },
    );

    app.post(
      '/previewUserDeployment',
      {
        config: { isDocument: true, changesNothing: true, takesSources: true },
        schema: {
          operationId: 'previewUpdate',
          summary: 'Preview what an update with this configuration would do to each pod',
          tags: ['deployments'],
          description: 'Reads source code, but does not build it. Changes nothing.',
          access: 'caller',
          refusals: [...refusalsOfDocuments, ...refusalsOfApplications, 'document_unavailable'],
          querystring: PreviewQuery,
          headers: Type.Object(GitHeaders),
          response: { 200: PreviewRecord, '4xx': ErrorRecord, 503: ErrorRecord },
        },
      },
      async (request, reply) => {
        const configuration = orRefuse(await readConfigurationOrSource(documents, service, request, reply));
        const { document, spec, findings, source } = configuration;
        const caller = orRefuse(await requireCaller(service, request, request.query));
        const found = orRefuse(applicationOf(caller, { ...request.query, applicationName: spec.name }));
        const { servingRevision } = found;
        const origin = originOf(request, service.settings);
        const token = caller.kind === 'session' ? caller.token : undefined;
        const explain = (bounds: Bounds) => refuseBeyond(documents, request, { document, bounds });
        const preview = previewOnce(service, found, { spec, source });
        const requested = {
          document,
          spec,
          current: found,
          preview,
          source,
          token,
          origin,
          askedBy: authMethodOf(caller),
          explain,
        };
        const trial = await update(service, { ...requested, isTrial: true });
        return {
          ...(await preview()),
          ...(!trial.ok && { refusal: refusalRecord(trial.problem) }),
          ...(servingRevision !== null && { servingRevision }),
          ...findings,
        };
      },
    );
  };
}

function refusalRecord({ code, error, hint, errors }: Problem) {
  return { code, error, ...(hint !== undefined && { hint }), ...(errors && { errors: [...errors] }) };
}

async function outline({ db, seal }: Service, { id, revision, servingRevision }: Deployment) {
  const { spec } = await revisionOf(db, seal, id, revision);
  return { revision, ...(servingRevision !== null && { servingRevision }), pods: outlineOf(spec) };
}

/** Returns the databases with their generated passwords. */
async function databasesOf(service: Service, requested: Deployment) {
  const revision = await revisionOf(service.db, service.seal, requested.id, requested.revision);
  const desired = await desiredOf(service, requested, revision);
  if (desired.kind !== 'running') return [];
  const images = new Map(revision.spec.pods.map(({ name, image }) => [name, image]));
  return desired.workloads.flatMap(({ workload: { pod, replica, ports, env } }) => {
    const url = replica === 0 && connectionUrlOf({ image: images.get(pod)!, host: `${pod}.pod`, ports, env });
    return url ? [{ pod, url }] : [];
  });
}
