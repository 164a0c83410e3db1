/** The configuration of a deployment, for its owner alone, and what an update to another one would do. */
import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { resourceTypes } from '../../config/schema/field-rules.ts';
import type { AppSpec } from '../../config/spec/spec.ts';
import { outlineOf } from '../../config/spec/spec-outline.ts';
import type { Deployment, Revision } from '../../deployment/deployment.ts';
import { desiredAt, wantedRevision } from '../../deployment/desired.ts';
import { podChanges, previewUpdate, type UpdatePreview } from '../../deployment/preview/update-preview.ts';
import { noEgress } from '../../deployment/workload/egress.ts';
import type { Problem } from '../../lib/problem.ts';
import { documentOf, revisionOf } from '../../store/revisions.ts';
import { derivationOf } from '../../store/seeds.ts';
import { originOf } from '../admission/caller-admission.ts';
import type { Service } from '../api-service.ts';
import { type Documents, readConfiguration, refuseBeyond, Strict } from '../configuration/documents.ts';
import type { Bounds } from '../configuration/reading/read-document.ts';
import { ApplicationFields, applicationOf, findApplication, requireCaller, UpdateQuery } from '../requests/callers.ts';
import { sendProblem } from '../requests/errors.ts';
import { parameterWarnings } from '../requests/query-parameters.ts';
import { ErrorRecord, RemarkFields, Warnings } from './deployment-records.ts';
import { update } from './update-deployment.ts';

const OutlineRecord = Type.Object({
  revision: Type.Integer({ minimum: 1, description: 'The last revision that was asked for: the one described here.' }),
  servingRevision: Type.Optional(
    Type.Integer({ minimum: 1, description: 'The revision that serves; absent before the first one does.' }),
  ),
  pods: Type.Array(
    Type.Object({
      name: Type.String(),
      image: Type.String(),
      paths: Type.Array(Type.String(), { description: 'Public paths; empty for an internal pod.' }),
      ports: Type.Array(Type.Integer()),
      uses: Type.Array(Type.String(), { description: 'Pods that it names or waits for.' }),
      volumes: Type.Array(Type.Object({ name: Type.String(), size: Type.String(), mountPath: Type.String() })),
      resourceType: Type.Enum([...resourceTypes]),
      replicas: Type.Integer({ minimum: 1 }),
    }),
  ),
  warnings: Warnings,
});

const ConfigurationRecord = Type.Object({
  yaml: Type.String({ description: 'The document as it was sent, secrets and all.' }),
  ...OutlineRecord.properties,
});

const PreviewRecord = Type.Object({
  pods: Type.Array(
    Type.Object({
      name: Type.String(),
      change: Type.Enum([...podChanges], {
        description:
          '`replaced`: the new one is ready before the old one goes; `restarted`: the old one stops first. What runs stays when a pod is `scaled`, when a volume of it has `grown`, or when it is `rerouted` to another public path.',
      }),
      keepsData: Type.Boolean({ description: 'Whether what it has stored is there afterwards.' }),
      volumes: Type.Array(
        Type.Object({
          title: Type.String({ examples: ['volume data of pod db'] }),
          change: Type.Enum(['kept', 'grown', 'new', 'left'], {
            description: '`new`: it is made, and empty; `left`: the pod no longer has it, and its data stay.',
          }),
          sizeBytes: Type.Integer(),
          fromBytes: Type.Optional(Type.Integer()),
        }),
      ),
      because: Type.String(),
      warnings: Type.Array(
        Type.Object({ code: Type.String(), message: Type.String(), hint: Type.Optional(Type.String()) }),
        { description: 'What goes otherwise than one may expect, for example a password that its database ignores.' },
      ),
    }),
  ),
  interrupted: Type.Array(Type.String(), { description: 'Public paths that nobody answers at for a while.' }),
  refusal: Type.Optional(
    Type.Object(
      {
        code: Type.String(),
        error: Type.String(),
        hint: Type.Optional(Type.String()),
        errors: Type.Optional(Type.Array(Type.String())),
      },
      { description: 'What the update itself would be refused with now, for example for want of memory.' },
    ),
  ),
  servingRevision: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'What it goes back to when the update fails; absent when nothing serves.',
    }),
  ),
  ...RemarkFields,
});

const PreviewQuery = Type.Object({ ...UpdateQuery.properties, strict: Strict });

export function revisionEndpoints(service: Service, documents: Documents): FastifyPluginAsyncTypebox {
  return async (app) => {
    documents.receive(app);

    app.get(
      '/getDeploymentOutline',
      {
        schema: {
          operationId: 'getDeploymentOutline',
          summary: 'Get the pods of a deployment and how they hang together, without anything secret',
          querystring: ApplicationFields,
          response: { 200: OutlineRecord, '4xx': ErrorRecord },
        },
      },
      async (request, reply) => {
        const found = await findApplication(service, request, request.query);
        if (!found.ok) return sendProblem(reply, found.problem);
        return { ...(await outline(service, found.value)), ...parameterWarnings(request) };
      },
    );

    app.get(
      '/getDeploymentConfiguration',
      {
        schema: {
          operationId: 'getDeploymentConfiguration',
          summary: 'Get the configuration of a deployment',
          querystring: ApplicationFields,
          response: { 200: ConfigurationRecord, '4xx': ErrorRecord },
        },
      },
      async (request, reply) => {
        const found = await findApplication(service, request, request.query);
        if (!found.ok) return sendProblem(reply, found.problem);
        const { id, revision } = found.value;
        const yaml = await documentOf(service.db, service.seal, id, revision);
        return { yaml, ...(await outline(service, found.value)), ...parameterWarnings(request) };
      },
    );

    app.post(
      '/previewUserDeployment',
      {
        config: { isDocument: true },
        schema: {
          operationId: 'previewUpdate',
          summary: 'What an update with this configuration would do to each pod',
          querystring: PreviewQuery,
          response: { 200: PreviewRecord, '4xx': ErrorRecord, 503: ErrorRecord },
        },
      },
      async (request, reply) => {
        const configuration = await readConfiguration(documents, request);
        if (!configuration.ok) return sendProblem(reply, configuration.problem);
        const { document, spec, findings } = configuration.value;
        const caller = await requireCaller(service, request, request.query);
        if (!caller.ok) return sendProblem(reply, caller.problem);
        const found = applicationOf(caller.value, { ...request.query, applicationName: spec.name });
        if (!found.ok) return sendProblem(reply, found.problem);
        const { servingRevision } = found.value;
        const origin = originOf(request, service.settings);
        const token = caller.value.kind === 'session' ? caller.value.token : undefined;
        const explain = (bounds: Bounds) => refuseBeyond(documents, request, { document, bounds });
        const asked = { document, spec, current: found.value, token, origin, explain };
        const trial = await update(service, { ...asked, isTrial: true });
        return {
          ...(await preview(service, found.value, spec)),
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

/** Against the revision that runs. A tag that both name is taken to mean the same image: the registry is not asked. */
async function preview(
  { db, seal, urlOf, now }: Service,
  deployment: Deployment,
  spec: AppSpec,
): Promise<UpdatePreview> {
  const current = await revisionOf(db, seal, deployment.id, wantedRevision(deployment));
  const derive = await derivationOf(db, seal, deployment.id);
  const next: Revision = { number: deployment.revision + 1, spec, ...(current.images && { images: current.images }) };
  // What it may reach is its plan's: no update changes that.
  const resolution = { now: now(), url: urlOf(deployment.label), derive, egress: noEgress };
  const before = desiredAt(deployment, current, resolution);
  // Each of a large configuration takes a while, in which nobody else is served.
  await turn();
  const after = desiredAt(deployment, next, resolution);
  await turn();
  // It was active a moment ago; with its time limit reached in between, nothing of it will be changed any more.
  if (before.kind !== 'running' || after.kind !== 'running') return { pods: [], interrupted: [] };
  return previewUpdate({ spec: current.spec, desired: before }, { spec, desired: after });
}
