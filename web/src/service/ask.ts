/** Requests to the service. Refusals and a service that does not answer are values; nothing here throws. */

export type Problem = {
  /** 0 where no answer came. */
  status: number;
  code: string;
  error: string;
  hint?: string;
  /** The single faults of a configuration. */
  errors?: string[];
};

export type Answer<T> = { ok: true; value: T } | { ok: false; problem: Problem };

export type Question = {
  method?: 'GET' | 'POST' | 'DELETE';
  query?: Record<string, string | undefined>;
  json?: unknown;
  yaml?: string;
  /** Sent as a header, so that it gets into no address, history or log. Without it the browser's cookie speaks. */
  sessionToken?: string | undefined;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
};

const underWay = new Set<Promise<unknown>>();

/** Resolves when no question waits for its answer, those included that an answer leads to. */
export async function allAnswered(): Promise<void> {
  while (underWay.size > 0) await Promise.all(underWay);
}

export function ask<T>(path: string, question: Question = {}): Promise<Answer<T>> {
  const answer = askNow<T>(path, question).finally(() => underWay.delete(answer));
  underWay.add(answer);
  return answer;
}

async function askNow<T>(path: string, question: Question): Promise<Answer<T>> {
  const response = await send(path, question);
  if (!response.ok) return response;
  const { status, headers } = response.value;
  const text = await response.value.text().catch(() => undefined);
  if (text === undefined) return { ok: false, problem: unreachable };
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
  const body: unknown = isJson ? parsed(text) : text;
  return status < 400 ? { ok: true, value: body as T } : { ok: false, problem: problemOf(status, body) };
}

/** The response itself, for bodies that are read as they come. */
export async function send(path: string, question: Question): Promise<Answer<Response>> {
  const { method = question.json !== undefined || question.yaml !== undefined ? 'POST' : 'GET', signal } = question;
  const type =
    question.yaml !== undefined ? 'text/x-yaml' : question.json !== undefined ? 'application/json' : undefined;
  try {
    const response = await fetch(addressOf(path, question.query), {
      method,
      headers: {
        ...(type && { 'Content-Type': type }),
        ...(question.sessionToken !== undefined && { Authorization: `Bearer ${question.sessionToken}` }),
        ...question.headers,
      },
      ...(type && { body: question.yaml ?? JSON.stringify(question.json) }),
      ...(signal && { signal }),
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
    });
    return { ok: true, value: response };
  } catch {
    // No connection, or the page has gone on to something else.
    return { ok: false, problem: unreachable };
  }
}

export function problemOf(status: number, body: unknown): Problem {
  const { error, code, hint, errors } = (typeof body === 'object' && body !== null ? body : {}) as Partial<Problem>;
  return {
    status,
    code: code ?? 'unknown',
    error: error ?? `The service answered ${status}.`,
    ...(hint !== undefined && { hint }),
    ...(errors && { errors }),
  };
}

const unreachable: Problem = {
  status: 0,
  code: 'unreachable',
  error: 'The service does not answer.',
  hint: 'Check your connection, then try again.',
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Something between here and the service has answered in its place.
    return undefined;
  }
}

function addressOf(path: string, query: Question['query'] = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
