/** The tools that take a document: validate, deploy, update and preview. */
import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Answer } from '../../client/request.ts';
import type { Started } from '../../client/service-types.ts';
import { describePreview, describeStart, describeUpdate, describeValidation } from '../descriptions.ts';
import type { Service } from '../service.ts';
import { addTool, token } from '../tool.ts';

const document = z
  .string()
  .min(1)
  .describe(
    'The complete YAML: an `application` with `name` and `pods`, or a Compose file. Include files inline. At most 256 KiB.',
  );
const environment = z
  .string()
  .max(100)
  .optional()
  .describe('The environment, if several applications have the same name.');
const dryRun = z.boolean().default(false).describe('Check everything and change nothing.');

export function addDocumentTools(server: McpServer, service: Service): void {
  addTool(server, 'validate', {
    title: 'Validate a document',
    description:
      'Checks a document without deploying it. Returns every problem with line, column and hint, and `fixed`, the document with all safe fixes. If `images` is "checked", a valid document can be deployed here; otherwise, images were not checked.',
    input: { document },
    say: describeValidation,
    effect: 'reads',
    run: async ({ document }, { signal }) =>
      (await service.clientOf(undefined)).call('validateConfig', {
        body: document,
        query: { fix: 'true', images: 'true' },
        signal,
      }),
  });

  addTool(server, 'deploy', {
    title: 'Deploy a document',
    description: `Starts the application of a document and returns its live URL immediately. Then call status, which waits until it runs. Needs no account. ${
      service.saveSession
        ? 'The folder remembers it, with its token.'
        : 'Keep sessionToken: the other tools need it. Pass it here to start more applications in the same session.'
    }`,
    input: {
      document,
      sessionToken: token,
      dryRun,
      idempotencyKey: z
        .string()
        .regex(/^[\x21-\x7e]{1,200}$/, {
          error: 'idempotencyKey must be 1 to 200 printable ASCII characters without spaces.',
        })
        .optional()
        .describe('A UUID that you generate. A repeated start with the same UUID returns the same deployment.'),
    },
    say: describeStart,
    effect: 'changes',
    run: async ({ document, sessionToken, dryRun, idempotencyKey }, { signal }) => {
      const answer = await (await service.clientOf(sessionToken)).call('startDeployment', {
        body: document,
        query: { ...(dryRun && { dryRun: 'true' as const }) },
        ...(idempotencyKey !== undefined && { headers: { 'Idempotency-Key': idempotencyKey } }),
        signal,
      });
      if (!answer.ok || 'dryRun' in answer.value) return answer;
      return await saveStarted(service, answer.value, sessionToken);
    },
  });

  addTool(server, 'update', {
    title: 'Update a deployment',
    description:
      'Applies a changed document to the deployment with the same application name. The URL stays. The current pods keep running until the new pods are ready, and stay if these fail. Then call status.',
    input: { document, environment, sessionToken: token, dryRun },
    say: describeUpdate,
    effect: 'changes',
    run: async ({ document, environment, sessionToken, dryRun }, { signal }) =>
      (await service.clientOf(sessionToken)).call('updateDeployment', {
        body: document,
        query: { ...(environment !== undefined && { environment }), ...(dryRun && { dryRun: 'true' as const }) },
        signal,
      }),
  });

  addTool(server, 'preview', {
    title: 'Preview an update',
    description:
      'Shows what an update with this document would do to each pod, its data, and its public paths. Changes nothing.',
    input: { document, environment, sessionToken: token },
    say: describePreview,
    effect: 'reads',
    run: async ({ document, environment, sessionToken }, { signal }) =>
      (await service.clientOf(sessionToken)).call('previewUpdate', {
        body: document,
        query: { ...(environment !== undefined && { environment }) },
        signal,
      }),
  });
}

/** If the folder stores the token, it is not shown. */
export async function saveStarted(
  service: Service,
  answer: Started,
  token: string | undefined,
): Promise<Answer<Omit<Started, 'sessionToken'>>> {
  if (!service.saveSession || token !== undefined) return { ok: true, value: answer };
  await service.saveSession(answer);
  const { sessionToken: _, ...told } = answer;
  return { ok: true, value: told };
}
