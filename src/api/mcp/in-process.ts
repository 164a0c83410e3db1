/** The API as a `fetch` without a network: requests of tools pass the same checks and limits as others. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { proofHeader } from '../../lib/proof-of-work.ts';
import { clientHeader } from '../requests/client-address.ts';

/** Of who calls. A cookie is not: only pages of browsers have one, and they have no business here. */
const passed = [clientHeader, 'user-agent', proofHeader.toLowerCase()];

/** A response of these may not even have an empty one. */
const withoutBody = [204, 304];

/** As the client, and with the `host`, of `asked`. */
export function fetchInProcess(
  app: Pick<FastifyInstance, 'inject'>,
  { headers: given }: Pick<FastifyRequest, 'headers'>,
): typeof fetch {
  return async (path, { method = 'GET', headers, body, signal } = {}) => {
    const theirs = passed.flatMap((name) => (given[name] === undefined ? [] : [[name, String(given[name])]]));
    const answer = await app.inject({
      method: method as 'GET',
      url: String(path),
      headers: { ...Object.fromEntries(theirs), ...Object.fromEntries(new Headers(headers)), host: given.host },
      ...(typeof body === 'string' && { payload: body }),
      ...(body instanceof Uint8Array && { payload: Buffer.from(body) }),
      ...(signal && { signal }),
    });
    const answered = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    return new Response(withoutBody.includes(answer.statusCode) ? null : new Uint8Array(answer.rawPayload), {
      status: answer.statusCode,
      headers: answered,
    });
  };
}
