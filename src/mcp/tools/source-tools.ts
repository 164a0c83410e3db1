/** The tool for source code: the service builds the images. */
import { gzipSync } from 'node:zlib';
import type { McpServer } from '@modelcontextprotocol/server';
import { pack } from 'tar-stream';
import * as z from 'zod/v4';
import type { AnswerOf, Started } from '../../client/client.ts';
import { describeStart, describeUpdate } from '../descriptions.ts';
import type { Service } from '../service.ts';
import { addTool, token } from '../tool.ts';
import { saveStarted } from './document-tools.ts';

export function addSourceTools(server: McpServer, service: Service): void {
  addTool(server, 'deploy_source', {
    title: 'Build and deploy source code',
    description:
      'Builds the images of a project on the server, and starts it; with the sessionToken of the running application, updates it. The source is either `files` or a Git repository. Then call status. For large projects without Git, send a tar archive to /startUserDeployment with curl.',
    input: {
      files: z
        .record(z.string().max(1_000), z.string())
        .optional()
        .describe('Path to text, such as a Dockerfile with its program, or a Compose file with `build`.'),
      git: z
        .string()
        .max(2_048)
        .optional()
        .describe('The https address of a public Git repository, instead of `files`.'),
      ref: z.string().max(255).optional().describe('Branch, tag or commit hash. Default: the default branch.'),
      path: z.string().max(1_024).optional().describe('The folder of the repository with the source.'),
      name: z
        .string()
        .regex(/^[a-z][a-z0-9-]{2,63}$/, { error: 'name must be 3 to 64 lowercase letters, digits and hyphens.' })
        .optional()
        .describe('The application name, if no file contains it.'),
      sessionToken: token,
    },
    say: (answer: AnswerOf<'updateDeployment'> | Omit<Started, 'sessionToken'>) =>
      'environment' in answer ? describeStart(answer) : describeUpdate(answer),
    effect: 'changes',
    run: async ({ files, git, ref, path, name, sessionToken }, { signal }) => {
      const client = await service.clientOf(sessionToken);
      const query = {
        ...(git !== undefined && { git }),
        ...(ref !== undefined && { ref }),
        ...(path !== undefined && { path }),
        ...(name !== undefined && { name }),
      };
      const requested = { ...(files && { body: await archiveOf(files) }), query, signal };
      const updated = sessionToken === undefined ? undefined : await client.call('updateDeployment', requested);
      if (updated && (updated.ok || updated.problem.code !== 'application_not_found')) return updated;
      const started = await client.call('startDeployment', requested);
      if (!started.ok || 'dryRun' in started.value) return started;
      return await saveStarted(service, started.value, sessionToken);
    },
  });
}

async function archiveOf(files: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const tar = pack();
  for (const [name, text] of Object.entries(files)) tar.entry({ name, mode: /^#!/.test(text) ? 0o755 : 0o644 }, text);
  tar.finalize();
  const pieces: Uint8Array[] = [];
  for await (const piece of tar as AsyncIterable<Uint8Array>) pieces.push(piece);
  return gzipSync(Buffer.concat(pieces));
}
