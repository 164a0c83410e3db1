/**
 * As `fetch`, for what has no body, with as much patience as the connection has: that of Node gives up after 300 s without
 * a word, which cannot be set, and nothing is said while a large copy of volumes is made.
 */
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';

/** Detects a dead connection, and keeps routers from dropping an idle one. */
const askEveryMs = 30_000;

/** Have no body; a Response with one of them throws where it gets any. */
const bodiless = [204, 205, 304];

/** Redirects are an answer. Throws where none comes, and at the abort. */
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
