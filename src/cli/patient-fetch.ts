/**
 * Like `fetch` for requests without a body, but without its time limit: Node's `fetch` fails after 300 s without data,
 * which cannot be changed. A large copy of volumes takes longer before the first byte.
 */
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';

/** Detects a dead connection, and keeps routers from dropping an idle one. */
const askEveryMs = 30_000;

/** Statuses without a body. A `Response` with one of them throws if it is given a body. */
const bodiless = [204, 205, 304];

/** Redirects are returned. Throws without a response, and at the abort. */
export async function patientFetch(...requested: Parameters<typeof fetch>): Promise<Response> {
  const { url, method, headers, signal } = new Request(...requested);
  const { request } = url.startsWith('https:') ? https : http;
  const sent = request(url, { method, headers: Object.fromEntries(headers), signal });
  sent.setSocketKeepAlive(true, askEveryMs);
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  // Readers of the body get the error there.
  sent.on('error', () => {});
  const status = answer.statusCode!;
  const isBodiless = bodiless.includes(status);
  if (isBodiless) answer.resume();
  const body = isBodiless ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array<ArrayBuffer>>);
  const said = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return new Response(body, { status, headers: said });
}
