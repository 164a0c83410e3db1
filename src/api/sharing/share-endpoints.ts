/** Share links: an address that shows only the state of a deployment, without an account. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { deploymentStates, podStates } from '../../deployment/deployment.ts';
import { healths, statusAt } from '../../deployment/status/deployment-health.ts';
import { newToken } from '../../lib/ids.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { deploymentById } from '../../store/deployments.ts';
import {
  deploymentOfShareLink,
  putShareLink,
  removeShareLink,
  type ShareLink,
  shareLinkOf,
} from '../../store/share-links.ts';
import { write } from '../../store/transaction.ts';
import type { Service } from '../api-service.ts';
import { printInstant } from '../deployments/deployment-records.ts';
import { ErrorRecord, MessageRecord } from '../deployments/deployment-schemas.ts';
import { refusalsOfApplications } from '../description/refusals.ts';
import { ApplicationFields, ApplicationQuery, findApplication } from '../requests/callers.ts';
import { orRefuse, RefusedRequest } from '../requests/errors.ts';

const ShareLinkRecord = Type.Object(
  {
    url: Type.String({ format: 'uri', description: 'Everyone with this link sees the status page.' }),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { description: 'The share link of a deployment.' },
);

export const SharedStatusRecord = Type.Object(
  {
    applicationName: Type.String(),
    url: Type.String({ format: 'uri' }),
    state: Type.Enum([...deploymentStates]),
    health: Type.Enum([...healths]),
    createdAt: Type.String({ format: 'date-time' }),
    expiresAt: Type.Optional(Type.String({ format: 'date-time', description: 'Absent when it does not expire.' })),
    pods: Type.Array(Type.Object({ name: Type.String(), state: Type.Enum([...podStates]) })),
  },
  {
    description: 'The status of a shared deployment, without configuration, images, or logs.',
  },
);

export function shareEndpoints(service: Service): FastifyPluginAsyncTypebox {
  const { db, seal, settings } = service;
  const record = ({ token, createdAt }: ShareLink) => ({
    url: new URL(`/shared/${token}`, settings.baseUrl).href,
    createdAt: printInstant(createdAt),
  });
  return async (app) => {
    app.get(
      '/getShareLink',
      {
        schema: {
          operationId: 'getShareLink',
          summary: 'Get the share link of a deployment',
          tags: ['status'],
          description: 'Returns the share link of the deployment, if it has one.',
          access: 'caller',
          refusals: [...refusalsOfApplications, 'share_not_found'],
          querystring: ApplicationFields,
          response: { 200: ShareLinkRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const found = orRefuse(await findApplication(service, request, request.query));
        const link = await shareLinkOf(db, seal, found.id);
        if (!link) throw new RefusedRequest(notShared.problem);
        return record(link);
      },
    );

    app.post(
      '/shareDeployment',
      {
        schema: {
          operationId: 'shareDeployment',
          summary: 'Create a share link: a page that shows the status of a deployment',
          tags: ['status'],
          description:
            'Creates a link with a random address, or returns the existing link. Everyone with the link sees the name, URL, state, time limit, and pod states.',
          access: 'caller in body',
          refusals: refusalsOfApplications,
          querystring: ApplicationQuery,
          body: ApplicationFields,
          response: { 200: ShareLinkRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const { id: deploymentId } = orRefuse(await findApplication(service, request, request.body));
        // Two concurrent requests get the same link.
        return await write(db, { deploymentId }, async (db) => {
          const known = await shareLinkOf(db, seal, deploymentId);
          const link = known ?? { token: newToken('share'), createdAt: service.now() };
          if (!known) await putShareLink(db, seal, deploymentId, link);
          return record(link);
        });
      },
    );

    app.post(
      '/unshareDeployment',
      {
        schema: {
          operationId: 'unshareDeployment',
          summary: 'Revoke the share link of a deployment',
          tags: ['status'],
          description: 'The link stops working. The next share link has another address.',
          access: 'caller in body',
          refusals: refusalsOfApplications,
          querystring: ApplicationQuery,
          body: ApplicationFields,
          response: { 200: MessageRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => {
        const { id, applicationName: name } = orRefuse(await findApplication(service, request, request.body));
        const wasShared = await removeShareLink(db, id);
        return { message: wasShared ? `The share link of ${name} is revoked.` : `${name} had no share link.` };
      },
    );

    app.get(
      '/api/shared/:token',
      {
        schema: {
          operationId: 'getSharedStatus',
          summary: 'Get the status of a shared deployment',
          tags: ['status'],
          description: 'Returns the content of the page behind a share link.',
          access: 'public',
          refusals: ['share_not_found'],
          params: Type.Object({ token: Type.String({ maxLength: 200, description: 'The token of the share link.' }) }),
          response: { 200: SharedStatusRecord, '4xx': ErrorRecord },
        },
      },
      async (request) => orRefuse(await sharedStatus(service, request.params.token)),
    );
  };
}

const notShared = refuse(
  'share_not_found',
  'The share link does not exist.',
  'POST /shareDeployment creates a share link.',
);

/** A link outlives its deployment's end by as long as that is remembered. */
export async function sharedStatus({ db, urlOf, now }: Pick<Service, 'db' | 'urlOf' | 'now'>, token: string) {
  const id = await deploymentOfShareLink(db, token);
  const deployment = id === undefined ? undefined : await deploymentById(db, id);
  if (!deployment) return notShared as Result<never>;
  const { applicationName, label, createdAt, expiresAt } = deployment;
  const { health, pods } = statusAt(deployment, now());
  const hasEnded = health === 'expired';
  return succeed({
    applicationName,
    url: urlOf(label).origin,
    createdAt: printInstant(createdAt),
    state: hasEnded ? ('expired' as const) : deployment.state,
    health,
    ...(expiresAt !== null && deployment.heldAt === null && { expiresAt: printInstant(expiresAt) }),
    // Their messages may quote what a pod has written.
    pods: hasEnded ? [] : pods.map(({ name, state }) => ({ name, state })),
  });
}
