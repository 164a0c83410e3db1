/** Whether an answer is one that the interface allows. Pure. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Answer } from './exchange.ts';
import type { Asked, Operation } from './operations.ts';
import { planted } from './victim.ts';

/** The interface's own answers of 500 to 503; everything else of that kind is a fault. */
const documented = new Set([
  '500 plan_does_not_allow_reservations',
  '502 document_unavailable',
  '503 capacity_exhausted',
]);

/** Traces of the inside, where the request has not brought them along itself. */
const internals = /\n\s+at \S+ \(|node:internal|SQLITE_|berth\.db|undefined|\[object Object\]|NaN/g;

export type Judge = (requested: Asked, answers: Answer[]) => string | undefined;

export function createJudge(victimToken: string): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  ajv.addFormat('uri', (text) => URL.canParse(text));
  ajv.addFormat('date-time', (text) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text)));
  const validators = new Map<object, ReturnType<typeof ajv.compile>>();
  const complaintOf = (schema: object, value: unknown): string | undefined => {
    const validate = validators.get(schema) ?? ajv.compile(schema);
    validators.set(schema, validate);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };

  const judgeDescribed = ({ path, responses }: Operation, { status, headers, body }: Answer): string | undefined => {
    if (!headers.has('ratelimit') || !headers.has('ratelimit-policy')) {
      if (!isEarly(status)) return 'no RateLimit header';
    }
    // Answers of the accounts library are described in its own documentation.
    if (path.startsWith('/api/auth/')) return undefined;
    const response = responses[status] ?? (isEarly(status) ? responses.default : undefined);
    if (!response) return `status ${status} is not described`;
    const type = headers.get('content-type')?.split(';')[0] ?? '';
    const content = response.content ?? { 'application/json': {} };
    if (!(type in content)) return `content type ${type} is not described`;
    const schema = content[type]?.schema;
    return type === 'application/json' && schema ? complaintOf(schema, JSON.parse(body)) : undefined;
  };

  return ({ operation, isRegistry, bytes }, answers) => {
    const request = bytes.toString('latin1');
    const isHead = request.startsWith('HEAD ');
    const isClean =
      (operation !== undefined || isRegistry === true) && isPrintable(request.slice(0, request.indexOf('\r\n\r\n')));
    if ((operation || isRegistry) && answers.length !== 1) return `${answers.length} answers`;
    for (const answer of answers) {
      const { status, headers, body } = answer;
      const isSignIn = /^\S* \/+api\/auth\//.test(request);
      if (status >= 300 && status < 400 && !isSignIn) return `status ${status}`;
      const type = headers.get('content-type') ?? '';
      if (body.includes(victimToken) || planted.slice(1).some((secret) => body.includes(secret)))
        return 'a secret of another';
      if (body.includes(planted[0]!) && !request.includes(planted[0]!)) return 'the name of what is of another';
      if (status >= 400 && !isHead) {
        // The edge answers invalid HTTP with its own text. Pages have errors of their own.
        const isEdge = !isClean && status === 400 && body.startsWith('<html><body><h1>400 Bad request');
        const isPage =
          operation === undefined && type.startsWith('text/html') && headers.has('content-security-policy');
        if (isEdge || isPage) continue;
        const isOfRegistry = answer.headers.has('docker-distribution-api-version');
        if (isRegistry && isClean && !isOfRegistry && !isEarly(status)) return 'not an answer of the registry';
        const complaint = isOfRegistry
          ? judgeRefusal(status, type, body, request)
          : judgeError(status, type, body, request);
        if (complaint) return complaint;
      }
      const complaint = operation && isClean ? judgeDescribed(operation, answer) : undefined;
      if (complaint) return complaint;
    }
    return undefined;
  };
}

function judgeError(status: number, type: string, body: string, request: string): string | undefined {
  if (!type.startsWith('application/json')) return `an error of type ${type}`;
  const { error, code, hint, ...more } = JSON.parse(body) as Record<string, unknown>;
  if (typeof error !== 'string' || error === '') return 'no error';
  if (typeof code !== 'string' || !/^[a-z_]+$/.test(code)) return 'no code';
  if (hint !== undefined && (typeof hint !== 'string' || hint === '')) return 'no hint';
  const others = Object.keys(more).filter((name) => !['errors', 'diagnostics', 'challenge', 'message'].includes(name));
  if (others.length > 0) return `unknown members ${others}`;
  if (status >= 500 && !documented.has(`${status} ${code}`)) return `a fault: ${status} ${code}`;
  if (`${error} ${hint ?? ''}`.match(internals)?.some((words) => !request.includes(words)))
    return 'words of the inside';
  return undefined;
}

/** In the words of the distribution specification. */
function judgeRefusal(status: number, type: string, body: string, request: string): string | undefined {
  if (!type.startsWith('application/json')) return `an error of type ${type}`;
  const { errors, ...more } = JSON.parse(body) as { errors?: { code?: unknown; message?: unknown }[] };
  if (errors?.length !== 1 || Object.keys(more).length > 0) return 'not one error';
  const { code, message } = errors[0]!;
  if (typeof code !== 'string' || !/^[A-Z_]+$/.test(code)) return 'no code';
  if (typeof message !== 'string' || message === '') return 'no message';
  if (status >= 500) return `a fault: ${status} ${code}`;
  if (message.match(internals)?.some((words) => !request.includes(words))) return 'words of the inside';
  return undefined;
}

/** The edge refuses what is too large or too slow, and Node an Expect, before there is a request to count. */
function isEarly(status: number): boolean {
  return [400, 408, 414, 417, 431].includes(status);
}

function isPrintable(text: string): boolean {
  return /^[\x20-\x7e\r\n]*$/.test(text);
}
