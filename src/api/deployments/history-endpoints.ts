/** The revisions of a deployment, and going back to one of them: an update with its document. */
import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { printWarnings } from '../../config/diagnostics/diagnostics.ts';
import type { Deployment, Revision } from '../../deployment/deployment.ts';
import {
  authMethods,
  changesBetween,
  durationMs,
  type RevisionChanges,
  revisionStates,
  stateOfRevision,
} from '../../deployment/revision-history.ts';
import { type Result, succeed } from '../../lib/problem.ts';
import { type StoredRevision, storedRevisions } from '../../store/revision-history.ts';
import { documentOf, findStoredRevision, lastKept } from '../../store/revisions.ts';
import { originOf } from '../admission/caller-admission.ts';
import type { Service } from '../api-service.ts';
import { type Configuration, type Documents, refuseBeyond } from '../configuration/documents.ts';
import { type Bounds, refuseConfiguration } from '../configuration/reading/read-document.ts';
import { addNamedDomains, withNamed } from '../custom-domains/named-domains.ts';
import { refusalsOfApplications, refusalsOfFirstSnapshots, refusalsOfUpdates } from '../description/refusals.ts';
import {
  ApplicationFields,
  ApplicationQuery,
  applicationOf,
  authMethodOf,
  findApplication,
  requireCaller,
} from '../requests/callers.ts';
import { orRefuse } from '../requests/errors.ts';
import { parameterWarnings } from '../requests/query-parameters.ts';
import { statusRecord } from './deployment-records.ts';
import { DryRunRecord, ErrorRecord, UpdateRecord, Warnings } from './deployment-schemas.ts';
import { linksOf } from './links.ts';
import { PreviewFields, previewOnce } from './previewed-update.ts';
import { findEarlier } from './stored-revision.ts';
import { update } from './update-deployment.ts';

const Names = Type.Array(Type.String());

const RevisionRecord = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  createdAt: Type.String({ format: 'date-time', description: 'When the revision was requested.' }),
  askedBy: Type.Enum([...authMethods], {
    description: 'How the client was authenticated: with a session token, with an API key, or signed in.',
  }),
  repeats: Type.Optional(
    Type.Integer({ minimum: 1, description: 'The earlier revision whose document this revision repeats.' }),
  ),
  commit: Type.Optional(
    Type.Object(
      {
        hash: Type.String(),
        ref: Type.String({ description: 'The branch, the tag, or the hash that was requested or pushed.' }),
        author: Type.String({ description: 'The name of the author. Untrusted text.' }),
        subject: Type.String({ description: 'The first line of the message. Untrusted text.' }),
      },
      { description: 'The Git commit of its source; absent for another source.' },
    ),
  ),
  state: Type.Enum([...revisionStates], {
    description:
      '`superseded`: another revision was requested before this one was ready, or its outcome was not recorded.',
  }),
  settledAt: Type.Optional(
    Type.String({ format: 'date-time', description: 'When the revision became ready or failed.' }),
  ),
  durationMs: Type.Optional(Type.Integer({ minimum: 0, description: 'From `createdAt` to `settledAt`.' })),
  isCurrent: Type.Boolean({ description: 'Whether it is the last requested revision.' }),
  isServing: Type.Boolean({ description: 'Whether visitors reach this revision.' }),
  changes: Type.Optional(
    Type.Object(
      { added: Names, changed: Names, removed: Names },
      {
        description: 'Changes of the pods compared with the previous revision; absent after that revision was deleted.',
      },
    ),
  ),
});

const HistoryRecord = Type.Object({
  revisions: Type.Array(RevisionRecord, {
    description: `The last ${lastKept}, and the one that serves; the newest first.`,
  }),
  warnings: Warnings,
});

const RollbackBody = Type.Object({
  ...ApplicationFields.properties,
  revision: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'The revision to go back to. Default: the last revision before the current one that became ready.',
    }),
  ),
});

const RollbackQuery = Type.Object({
  ...ApplicationQuery.properties,
  dryRun: Type.Optional(
    Type.Enum(['true', 'false'], {
      description: 'Only check the request and return what would happen to each pod. Changes nothing.',
    }),
  ),
});

const Numbers = {
  revision: Type.Integer({
    minimum: 1,
    description: 'The number of the new revision; with `dryRun`, the number that it would get.',
  }),
  repeats: Type.Integer({ minimum: 1, description: 'The earlier revision whose document the new revision repeats.' }),
};
const RollbackAnswer = Type.Union([
  Type.Object({ ...UpdateRecord.properties, ...Numbers }),
  Type.Object({ ...DryRunRecord.properties, ...Numbers, ...PreviewFields }),
]);

export function historyEndpoints(service: Service, documents: Documents): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/getDeploymentRevisions',
      {
        schema: {
          operationId: 'getDeploymentRevisions',
          summary: 'Get the revisions of a deployment with their authors, times, outcomes, and changes',
          tags: ['deployments'],
          description:
            'Returns the retained revisions, the newest first. `GET /getDeploymentConfiguration` returns the document of a revision.',
          access: 'caller',
          refusals: refusalsOfApplications,
          querystring: ApplicationFields,
          response: { 200: HistoryRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const found = orRefuse(await findApplication(service, request, request.query));
        return { revisions: await history(service, found), ...parameterWarnings(request) };
      },
    );

    app.post(
      '/rollbackUserDeployment',
      {
        schema: {
          operationId: 'rollbackDeployment',
          summary: 'Go back to an earlier revision',
          tags: ['deployments'],
          description:
            'Applies the document of an earlier revision as the next revision. Volumes keep their current data. With `dryRun=true`, returns the changes to each pod.',
          access: 'caller in body',
          refusals: [...refusalsOfUpdates, ...refusalsOfFirstSnapshots, 'revision_not_found'],
          querystring: RollbackQuery,
          body: RollbackBody,
          response: { 200: RollbackAnswer, '4xx': ErrorRecord, 503: ErrorRecord },
        },
      },
      async (request) => {
        const caller = orRefuse(await requireCaller(service, request, request.body));
        const current = orRefuse(applicationOf(caller, request.body));
        const repeats = orRefuse(await findEarlier(service, current, request.body.revision));
        const configuration = orRefuse(await readRevision(service, documents, request, current, repeats));

        const { document, spec, findings } = configuration;
        const isTrial = request.query.dryRun === 'true';
        const preview = previewOnce(service, current, { spec, repeats });
        const updated = orRefuse(
          await update(service, {
            document,
            spec,
            current,
            preview,
            isTrial,
            repeats,
            token: caller.kind === 'session' ? caller.token : undefined,
            origin: originOf(request, service.settings),
            askedBy: authMethodOf(caller),
            explain: (bounds: Bounds) => refuseBeyond(documents, request, { document, bounds }),
          }),
        );
        const { revision, label, applicationName } = updated;
        const numbers = { revision, repeats };
        if (isTrial) {
          const message = `Application ${applicationName} can go back to revision ${repeats}. This was a dry run: nothing was changed.`;
          return { message, applicationName, dryRun: true as const, ...numbers, ...(await preview()), ...findings };
        }
        const named = await addNamedDomains(service, updated, spec);
        return {
          message: `Application ${applicationName} goes back to what it was in revision ${repeats}, as revision ${revision}. Its address stays the same.`,
          url: service.urlOf(label).origin,
          status: statusRecord(updated, service.now()),
          links: linksOf(updated, {
            baseUrl: service.settings.baseUrl,
            callerKind: caller.kind,
            hasDashboard: service.dashboard !== undefined,
          }),
          ...numbers,
          ...withNamed(findings, named),
        };
      },
    );
  };
}

/** A document that was valid once may be refused by a newer version of the service. */
async function readRevision(
  { db, seal }: Service,
  documents: Documents,
  request: FastifyRequest,
  { id }: Deployment,
  number: number,
): Promise<Result<Configuration>> {
  const document = await documentOf(db, seal, id, number);
  const read = await documents.read(request, 'parse', { text: document, isStrict: false });
  if (!read.ok) return read;
  const parsed = read.value;
  if (parsed.kind !== 'valid') return refuseConfiguration(parsed);
  const { spec, diagnostics } = parsed;
  return succeed({ document, spec, findings: { warnings: printWarnings(diagnostics), diagnostics } });
}

async function history({ db, seal }: Service, { id, revision, servingRevision }: Deployment) {
  const kept = await storedRevisions(db, id);
  const records: ReturnType<typeof recordOf>[] = [];
  let later: { row: StoredRevision; revision: Revision } | undefined;
  for (const row of kept) {
    // For a large configuration, each takes a while and blocks other requests. A revision may be deleted in between.
    await turn();
    const earlier = await findStoredRevision(db, seal, id, row.number);
    const isNext = later && earlier && later.row.number === row.number + 1;
    if (later) records.push(recordOf(later.row, isNext ? changesBetween(earlier, later.revision) : undefined));
    later = earlier && { row, revision: earlier };
  }
  if (later) records.push(recordOf(later.row, undefined));
  return records;

  function recordOf(row: StoredRevision, changes: RevisionChanges | undefined) {
    const { number, createdAt, askedBy, repeats, settledAt, commit } = row;
    const took = durationMs(row);
    return {
      number,
      createdAt: new Date(createdAt).toISOString(),
      state: stateOfRevision(row, revision),
      isCurrent: number === revision,
      isServing: number === servingRevision,
      askedBy,
      ...(repeats !== null && { repeats }),
      ...(commit && { commit }),
      ...(settledAt !== null && { settledAt: new Date(settledAt).toISOString() }),
      ...(took !== undefined && { durationMs: took }),
      ...(changes && { changes }),
    };
  }
}
