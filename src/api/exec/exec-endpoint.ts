/** `POST /execInPod`: runs a command in a container and returns its whole output. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { RunningExec } from '../../engine/exec.ts';
import { orAbort } from '../../lib/wait.ts';
import type { Service } from '../api-service.ts';
import { ErrorRecord } from '../deployments/deployment-schemas.ts';
import { refusalsOfApplications } from '../description/refusals.ts';
import { ApplicationQuery } from '../requests/callers.ts';
import { orRefuse } from '../requests/errors.ts';
import { untilRevoked } from '../requests/revocation.ts';
import { beginExec } from './begin-exec.ts';
import { ExecBody, ExecRecord } from './exec-schemas.ts';
import type { ExecSlots } from './exec-slots.ts';

/** For both outputs together. Clients rarely need more. */
const maxBytes = 1024 * 1024;

export function execEndpoint(service: Service, places: ExecSlots): FastifyPluginAsyncTypebox {
  return async (app) => {
    const closing = new AbortController();
    app.addHook('preClose', async () => closing.abort());
    service.leaving?.addEventListener('abort', () => closing.abort());

    app.post(
      '/execInPod',
      {
        config: { limit: 'exec' },
        schema: {
          operationId: 'execInPod',
          summary: 'Run a command in a container of a pod',
          tags: ['deployments'],
          description:
            'Runs a program in the container of the pod, with the rights of the pod. Responds when the program has ended. The program ends if the client disconnects. The operator decides where this is allowed, and sees a record of each call. For a terminal, use the WebSocket `/openTerminal`.',
          access: 'caller in body',
          refusals: [
            ...refusalsOfApplications,
            'exec_not_allowed',
            'pod_not_running',
            'command_not_started',
            'invalid_request',
            'engine_unreachable',
          ],
          querystring: ApplicationQuery,
          body: ExecBody,
          response: { 200: ExecRecord, '4xx': ErrorRecord, 503: ErrorRecord },
        },
      },
      async (request, reply) => {
        const { stdin = '', timeoutSeconds = 60, ...asked } = request.body;
        await using running = orRefuse(await beginExec(service, places, request, asked));
        const { stop } = untilRevoked(service, request, reply, asked);
        const late = AbortSignal.timeout(timeoutSeconds * 1000);
        const given = await collect(running.exec, stdin, AbortSignal.any([stop, closing.signal, late]));
        const stopped = late.aborted ? ('timed-out' as const) : ('given-up' as const);
        const ended = given.ended === 'stopped' ? stopped : given.ended;
        return { ...given, ended, replica: running.replica };
      },
    );
  };
}

/** Writes the input and collects the output until the end or the abort. */
async function collect(exec: RunningExec, stdin: string, stop: AbortSignal) {
  // The output is copied. A program that writes single bytes would otherwise use a hundred times the memory.
  const written = { stdout: Buffer.allocUnsafe(maxBytes), stderr: Buffer.allocUnsafe(maxBytes) };
  const used = { stdout: 0, stderr: 0 };
  let left = maxBytes;
  let exitCode: number | null = null;
  const read = async () => {
    for await (const { from, bytes } of exec.output) {
      const part = bytes.subarray(0, left);
      written[from].set(part, used[from]);
      used[from] += part.length;
      left -= bytes.length;
      if (left < 0) return 'too-much-output' as const;
    }
    exitCode = (await exec.exitCode()) ?? null;
    return 'by-itself' as const;
  };
  const feed = async () => {
    if (stdin !== '') await exec.write(Buffer.from(stdin));
    exec.endInput();
  };
  const ended = await orAbort(Promise.all([read(), feed()]), stop).then(
    ([end]): 'by-itself' | 'too-much-output' | 'stopped' => end,
    (error: unknown) => {
      if (!stop.aborted) throw error;
      return 'stopped' as const;
    },
  );
  const text = (from: 'stdout' | 'stderr') => written[from].toString('utf8', 0, used[from]);
  return { exitCode, ended, stdout: text('stdout'), stderr: text('stderr') };
}
