/** The tools for how long a deployment lives, and whose it is: extend, claim_link, remove and restore. */
import { acceptedContent, inputRequired, inputResponse, type McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Problem } from '../../client/ask.ts';
import { printable } from '../../lib/printable.ts';
import { sayClaimLink, sayMessage, sayRestored } from '../sentences.ts';
import type { Service } from '../service.ts';
import { addTool, applicationOf, type Calling, named } from '../tool.ts';

export function addLifetimeTools(server: McpServer, service: Service): void {
  addTool(server, 'extend', {
    title: 'Extend the time limit',
    description: 'Extends the time limit of an unclaimed deployment. The number of extensions is limited.',
    input: named,
    say: sayMessage,
    effect: 'changes',
    run: async (given, { signal }) => {
      const application = await applicationOf(service, given, signal);
      if (!application.ok) return application;
      const client = await service.clientOf(given.sessionToken);
      const answer = await client.call('extendDeployment', { body: application.value, signal });
      return answer.ok ? { ok: true, value: { message: answer.value } } : answer;
    },
  });

  addTool(server, 'claim_link', {
    title: 'Hand over to a person',
    description:
      "A link that you give to the person you work for: a person who opens it within 24 hours and signs in keeps the deployment. Don't open it yourself.",
    input: named,
    say: sayClaimLink,
    effect: 'changes',
    run: async (given, { signal }) => {
      const application = await applicationOf(service, given, signal);
      if (!application.ok) return application;
      const client = await service.clientOf(given.sessionToken);
      const answer = await client.call('claimDeployment', { body: application.value, signal });
      if (!answer.ok) return answer;
      const { message, claimUrl } = answer.value;
      return { ok: true, value: { message, claimUrl } };
    },
  });

  addTool(server, 'remove', {
    title: 'Remove a deployment',
    description:
      'Removes a deployment. The server keeps its data for a restore for a limited time, then deletes it. Call this only if the user requests it.',
    input: { ...named, applicationName: named.applicationName.unwrap().describe('The application to remove.') },
    say: sayMessage,
    effect: 'removes',
    run: async (given, calling) => {
      const { signal } = calling;
      const application = await applicationOf(service, given, signal);
      if (!application.ok) return application;
      const consent = consentOf(server, calling, application.value.applicationName);
      if (consent === 'refused') return { ok: false, problem: notRemoved };
      if (consent !== 'given') return consent;
      const client = await service.clientOf(given.sessionToken);
      return await client.call('removeDeploymentReservation', { body: application.value, signal });
    },
  });

  addTool(server, 'restore', {
    title: 'Restore an ended deployment',
    description:
      'Restores a removed or expired deployment with its data at the same address, as long as the server keeps the data. Then call status.',
    input: { ...named, applicationName: named.applicationName.unwrap().describe('The application to restore.') },
    say: sayRestored,
    effect: 'changes',
    run: async (given, { signal }) => {
      const application = await applicationOf(service, given, signal);
      if (!application.ok) return application;
      const client = await service.clientOf(given.sessionToken);
      return await client.call('restoreDeployment', { body: application.value, signal });
    },
  });
}

const confirmation = z.object({ confirm: z.boolean().describe('Remove it, with its data.') });

/**
 * A client that can prompt its user does so. Other clients see the annotations of the tool, by which they prompt before
 * the call.
 */
function consentOf(server: McpServer, { context }: Calling, applicationName: string) {
  if (!server.server.getClientCapabilities()?.elicitation) return 'given';
  const { inputResponses } = context.mcpReq;
  const answered = inputResponse(inputResponses, 'confirm');
  if (answered.kind === 'missing') {
    const message = `Remove ${printable(applicationName)}, with its data?`;
    const confirm = inputRequired.elicit({ message, requestedSchema: confirmation });
    return inputRequired({ inputRequests: { confirm } });
  }
  return acceptedContent(inputResponses, 'confirm', confirmation)?.confirm === true ? 'given' : 'refused';
}

const notRemoved: Problem = {
  status: 0,
  code: 'not_confirmed',
  error: 'The user did not confirm. Nothing was removed.',
};
