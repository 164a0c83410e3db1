/** Describes why a request does not match its schema, in words for the caller. Pure. */
import type { Problem } from '../../lib/problem.ts';

/** One violation as Ajv reports it, with the schema that it broke (`verbose`). */
export type Violation = {
  keyword: string;
  instancePath: string;
  params: Record<string, unknown>;
  parentSchema?: { 'x-says'?: string };
};

export type Part = 'body' | 'querystring' | 'headers' | 'params';

const called: Record<Part, string> = {
  body: 'the body',
  querystring: 'the query',
  headers: 'the headers',
  params: 'the path',
};

/** Field names are only repeated if the schema defines them. Values are never repeated. */
export function violationProblem({ keyword, instancePath, params, parentSchema }: Violation, part: Part): Problem {
  const place = called[part];
  const name = instancePath.slice(1).replaceAll('/', '.');
  const subject = name === '' ? `${place[0]!.toUpperCase()}${place.slice(1)}` : `${name} in ${place}`;
  const said = parentSchema?.['x-says'];
  return {
    code: 'invalid_request',
    error: said === undefined ? `${sentence(keyword, subject, part, params)}.` : `${subject} ${said}.`,
    hint: advice(part, keyword === 'required' ? String(params.missingProperty) : undefined),
  };
}

function advice(part: Part, missing: string | undefined): string {
  if (part === 'querystring' && missing !== undefined) return `Write ?${missing}=… after the path.`;
  if (part === 'body') return 'Send a JSON object with the fields that GET /docs names for this request.';
  return `GET /docs says what ${called[part]} of this request can hold.`;
}

function sentence(keyword: string, subject: string, part: Part, params: Record<string, unknown>): string {
  const { missingProperty, type, limit, allowedValues } = params;
  switch (keyword) {
    case 'required':
      return `${missingProperty} is missing in ${called[part]}`;
    case 'type':
      if (part === 'querystring') return `${subject} must be given once, as a string`;
      return `${subject} must be ${type === 'object' ? 'a JSON object' : type === 'string' ? 'a string' : `of type ${type}`}`;
    case 'minLength':
      return limit === 1 ? `${subject} is empty` : `${subject} must have ${limit} characters or more`;
    case 'maxLength':
      return `${subject} must have at most ${limit} characters`;
    case 'enum':
      return `${subject} must be ${(allowedValues as unknown[]).join(' or ')}`;
    default:
      return `${subject} is malformed`;
  }
}

/** Returns why a text is not valid JSON. Repeats at most one character of the text, because it may contain a token. */
export function explainJson(text: string): string {
  try {
    JSON.parse(text);
    return 'It contains a forbidden key, such as "__proto__".';
  } catch (error) {
    const { message } = error as SyntaxError;
    if (/^Unexpected end/.test(message)) return 'It ends unexpectedly.';
    const token = /^Unexpected token '(.)'/su.exec(message)?.[1];
    if (token !== undefined) return `${JSON.stringify(token)} is out of place.`;
    const [, what, line, column] = /^(.*?) in JSON at position \d+ \(line (\d+) column (\d+)\)$/.exec(message) ?? [];
    return what === undefined ? '' : `Line ${line}, column ${column}: ${what[0]!.toLowerCase()}${what.slice(1)}.`;
  }
}
