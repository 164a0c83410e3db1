/**
 * Turns a call to the service into a tool. The answer becomes structured content, and a refusal becomes an error with
 * the service's message.
 */
import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Answer, Problem } from '../client/request.ts';
import { printable } from '../lib/printable.ts';
import type { Application, Service } from './service.ts';

type Shape = Record<string, z.ZodType>;

type Tool<Input extends Shape, Value> = {
  title: string;
  description: string;
  input: Input;
  /** `reads`: changes nothing. `removes`: deletes something that cannot be restored. */
  effect: 'reads' | 'changes' | 'removes';
  /** Whether the result contains output of applications, which is shown without terminal commands. */
  quotesApplications?: boolean;
  /**
   * Returns the text next to the structured content: state, address, next step, and data for clients that only show
   * text.
   */
  say: (value: Value) => string;
  run: (given: z.output<z.ZodObject<Input>>, calling: Calling) => Promise<Answer<Value> | InputRequiredResult>;
};

export type Calling = { signal: AbortSignal; context: ServerContext };

export function addTool<Input extends Shape, Value extends object>(
  server: McpServer,
  name: string,
  { title, description, input, effect, quotesApplications, say, run }: Tool<Input, Value>,
): void {
  const annotations = {
    readOnlyHint: effect === 'reads',
    destructiveHint: effect === 'removes',
    idempotentHint: effect === 'reads',
    openWorldHint: false,
  };
  // A misspelled argument would be ignored silently. Its name is client input and is not repeated.
  const unknown = `Unknown arguments. This tool accepts ${Object.keys(input).join(', ') || 'none'}.`;
  const inputSchema = z.strictObject(input, {
    error: ({ code }) => (code === 'unrecognized_keys' ? unknown : undefined),
  });
  const config = { title, description, inputSchema, annotations };
  const call = async (given: unknown, context: ServerContext) => {
    const answer = await run(given as z.output<z.ZodObject<Input>>, { signal: signalOf(context), context });
    if (isInputRequiredResult(answer)) return answer;
    if (!answer.ok) return refusal(answer.problem);
    const value = quotesApplications ? withoutControls(answer.value) : answer.value;
    return succeeded(value, say(value));
  };
  server.registerTool(name, config, call as Parameters<typeof server.registerTool>[2]);
}

/** The transport aborts a cancelled call. Over HTTP, a disconnected client also counts as cancelled. */
function signalOf({ mcpReq, http }: ServerContext): AbortSignal {
  const gone = http?.req?.signal;
  return gone ? AbortSignal.any([mcpReq.signal, gone]) : mcpReq.signal;
}

function succeeded(value: object, text: string): CallToolResult {
  return {
    content: [{ type: 'text', text: text.split('\n').map(printable).join('\n') }],
    structuredContent: { ...value },
  };
}

/** The same fields as the body of a refusal over HTTP. */
export function refusal({ status: _, ...problem }: Problem): CallToolResult {
  return { content: [{ type: 'text', text: printJson(problem) }], isError: true };
}

/** Prints on one line. Invisible characters are escaped. */
function printJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[\u007f-\u009f]|\p{Cf}/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => {
      const unit = character.charCodeAt(at).toString(16).padStart(4, '0');
      return `\\u${unit}`;
    }).join(''),
  );
}

function withoutControls<T>(value: T): T {
  if (typeof value === 'string') return value.split('\n').map(printable).join('\n') as T;
  if (Array.isArray(value)) return value.map(withoutControls) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutControls(each)])) as T;
}

/** Printable, so that it can be sent as a header. */
export const token = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, {
    error:
      'sessionToken is empty or contains invalid characters. Omit it, or pass the sessionToken that deploy returned.',
  })
  .optional()
  .describe('The sessionToken that deploy returned, or an API key. Required unless the connection is authenticated.');

export const named = {
  applicationName: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The application name. Default: the only application.'),
  environment: z.string().max(100).optional().describe('The environment, if several applications have the same name.'),
  sessionToken: token,
};

type Named = {
  applicationName?: string | undefined;
  environment?: string | undefined;
  sessionToken?: string | undefined;
};

/** Returns the target application of a call: the named one, the one of the folder, or the only one. */
export async function applicationOf(service: Service, given: Named, signal: AbortSignal): Promise<Answer<Application>> {
  const { applicationName, environment, sessionToken } = given;
  if (applicationName !== undefined) {
    return { ok: true, value: { applicationName, ...(environment !== undefined && { environment }) } };
  }
  const remembered = sessionToken === undefined ? await service.application?.() : undefined;
  if (remembered) return { ok: true, value: remembered };
  const list = await (await service.clientOf(sessionToken)).call('listDeployments', { signal });
  if (!list.ok) return list;
  const [only, ...others] = list.value.reservedDeployments;
  if (only && others.length === 0) {
    return { ok: true, value: { applicationName: only.applicationName, environment: only.environment } };
  }
  const names = list.value.reservedDeployments.map(({ applicationName }) => applicationName).join(', ');
  return {
    ok: false,
    problem: {
      status: 404,
      code: 'application_not_found',
      error: only ? 'There are several applications.' : 'No application is running.',
      hint: only ? `Say which with applicationName: ${names}.` : 'Start one with deploy.',
    },
  };
}
