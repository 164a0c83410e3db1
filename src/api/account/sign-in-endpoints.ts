/**
 * Sign-up, sign-in and sign-out below `/api/auth`, answered by the account library. Only the listed paths reach it, so
 * that unused and untested paths are not exposed.
 */

import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { parseObject } from '../../lib/json.ts';
import type { Service } from '../api-service.ts';
import { signInPaths } from './sign-in-paths.ts';

const bodyLimit = 64 * 1024;

const contentPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function signInEndpoints(service: Service): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string', bodyLimit }, async (_: unknown, body: string) => body);
    for (const { method, path, limit, summary, operationId, isForAccount = false } of signInPaths) {
      const description = `${summary}.${limit === 'sign-in' ? ' Counts against the limit of sign-ins.' : ''}`;
      const access = isForAccount ? 'sign-in' : 'public';
      const schema = { operationId, summary, tags: ['sign-in'], description, access } as const;
      app.route({
        method,
        url: `/api/auth/${path}`,
        schema,
        config: { ...(limit && { limit }) },
        handler: async (request, reply) => {
          const answer = await service.accounts.answer(toRequest(service, request));
          return await send(reply, answer);
        },
      });
    }
  };
}

function toRequest({ settings }: Service, { method, url, headers, body }: FastifyRequest): Request {
  const given = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value].flat()) if (one !== undefined) given.append(name, one);
  }
  return new Request(new URL(url, settings.baseUrl), {
    method,
    headers: given,
    ...(typeof body === 'string' && { body }),
  });
}

/**
 * Converts the library's errors to errors of this API. Other responses are unchanged. Throws if the library has failed.
 */
async function send(reply: FastifyReply, answer: Response): Promise<FastifyReply> {
  const text = await answer.text();
  const refusal = answer.status >= 400 ? refusalOf(answer.status, text) : undefined;
  reply.status(refusal?.status ?? answer.status);
  for (const [name, value] of answer.headers) {
    if (name !== 'set-cookie' && name !== 'content-length') reply.header(name, value);
  }
  for (const cookie of answer.headers.getSetCookie()) reply.header('set-cookie', cookie);
  // Links in mails contain a token, and the error page contains text from the URL.
  reply.header('Referrer-Policy', 'no-referrer').header('Content-Security-Policy', contentPolicy);
  if (refusal) return reply.type('application/json').send(JSON.stringify(refusal.body));
  // A redirection has no body, but would call it JSON.
  return text === '' ? reply.removeHeader('content-type').send() : reply.send(text);
}

/** `message` stays: the library's client for browsers reads it. */
function refusalOf(status: number, text: string) {
  const { message, code } = parseObject(text) as { message?: string; code?: string };
  const isFault = status >= 500 && code !== 'FAILED_TO_VERIFY_REGISTRATION';
  if (isFault) throw new Error(`the sign-in library has answered ${status}`);
  // `[body.email] Invalid input: …`, in words of its schema.
  const invalid = code === 'VALIDATION_ERROR' ? /^\[(body|query|params)\.?([\w.]*)\]/.exec(message ?? '') : null;
  const place = invalid?.[1] === 'params' ? 'path' : invalid?.[1];
  const subject = invalid?.[2] ? `${invalid[2]} in the ${place}` : `The ${place}`;
  const error = invalid ? `${subject} is missing or malformed.` : (message ?? 'The request was refused.');
  const hint = invalid && { hint: 'GET /docs lists the fields of this request.' };
  const body = { error, code: code?.toLowerCase() ?? 'invalid_request', ...hint, message: error };
  // An invalid passkey answer is the client's mistake, although the library reports a server error.
  return { status: status >= 500 ? 400 : status, body };
}
