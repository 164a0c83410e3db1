/** `berth mcp`: the Model Context Protocol on the standard input and output, for an agent that starts this command. */
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import manifest from '../../../package.json' with { type: 'json' };
import { request } from '../../client/request.ts';
import { createMcpServer } from '../../mcp/server.ts';
import type { Service } from '../../mcp/service.ts';
import { statuses } from '../arguments.ts';
import type { Connection } from '../connect.ts';
import type { Run } from './command.ts';

export const mcp: Run = async ({
  streams: { stdin, stdout },
  connection,
  reconnect,
  saveSession,
  signal,
  terminal,
}) => {
  /** The folder's saved session may change while the agent works. */
  const current = async (): Promise<Connection> => {
    const now = await reconnect();
    return typeof now === 'string' ? connection : now;
  };
  const service: Service = {
    clientOf: async (token) => {
      const now = await current();
      return token === undefined ? now.client : now.as(token);
    },
    read: async (path) => {
      const answer = await request<unknown>({ baseUrl: connection.server }, path);
      if (!answer.ok || typeof answer.value === 'string') return answer as { ok: true; value: string };
      return { ok: true, value: JSON.stringify(answer.value, undefined, 2) };
    },
    saveSession: async ({ applicationName, environment, url, sessionToken }) => {
      const { token, server } = await current();
      const isAccount = token?.startsWith('berthkey_');
      await saveSession({ server, applicationName, environment, url, ...(isAccount ? {} : { sessionToken }) });
    },
    application: async () => (await current()).application,
    version: manifest.version,
  };
  const transport = new StdioServerTransport(stdin, stdout);
  const ended = new Promise((resolve) => {
    stdin.once('close', resolve);
    stdin.once('end', resolve);
    signal.addEventListener('abort', resolve);
  });
  const handle = serveStdio(() => createMcpServer(service), {
    transport,
    onerror: ({ message }) => terminal.printNote(message),
  });
  await ended;
  await handle.close();
  return signal.aborted ? statuses.interrupted : statuses.done;
};
