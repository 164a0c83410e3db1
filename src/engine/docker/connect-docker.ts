/** The connection to the engine's HTTP API. */

import type { IncomingMessage } from 'node:http';
import Docker from 'dockerode';
import { latestOnly } from '../../lib/latest-only.ts';
import { statusOf } from './faults.ts';
import { isAtLeast } from './host/host-facts.ts';

/** The API version that Berth is tested with. Docker 20.10 supports up to 1.41, and Docker 29 nothing below 1.44. */
const newestApiVersion = '1.47';

/**
 * Connects to `DOCKER_HOST` (with `DOCKER_CERT_PATH`, `DOCKER_TLS_VERIFY`) or to the default socket. Negotiates the API
 * version, and repeats that if the engine refuses a request, because the engine may have changed. Throws the error of
 * Docker or the socket without a response.
 */
export async function connectDocker(): Promise<Docker> {
  return endRequests(renegotiating(new Docker({ version: await negotiate() })));
}

async function negotiate(): Promise<string> {
  const { ApiVersion: offered } = await endRequests(new Docker()).version();
  return `v${isAtLeast(offered, newestApiVersion) ? newestApiVersion : offered}`;
}

/** Modifies the client. The refused request still fails, and its caller retries. */
function renegotiating(docker: Docker): Docker {
  const modem = docker.modem as Docker['modem'] & { version: string };
  const dial = modem.dial.bind(modem);
  const askAgain = latestOnly<void>(async () => {
    modem.version = await negotiate().catch(() => modem.version);
  });
  modem.dial = (request, done) =>
    dial(request, (error, answer) => {
      // An unsupported version is a bad request like any other.
      if (statusOf(error) === 400) void askAgain();
      done?.(error, answer);
    });
  return docker;
}

/**
 * Makes every request to the engine end: with a response, or with an error if the engine is silent for too long or the
 * response breaks off. The client itself would wait for the rest of a broken response forever.
 */

/** Milliseconds. A read takes 1 to 50 under load (measured). A change may copy an image's files into a volume. */
type Patience = { looks: number; changes: number };

const usualPatience: Patience = { looks: 15_000, changes: 120_000 };

/** Modifies the client. Streams (events, logs, pulls) have no time limit here, because their readers limit them. */
export function endRequests(docker: Docker, patience: Patience = usualPatience): Docker {
  const { modem } = docker;
  const dial = modem.dial.bind(modem);
  modem.dial = (request, done) => {
    if (request.isStream || request.hijack) return dial(request, done);
    const limitMs = request.method === 'GET' || request.method === 'HEAD' ? patience.looks : patience.changes;
    const limit = startLimit(limitMs, request.abortSignal);
    const end = (error: Error | null, answer: object | null) => {
      limit.clear();
      done?.(error && limit.isOver() ? new Silence(limitMs, { cause: error }) : error, answer);
    };
    dial({ ...request, isStream: true, abortSignal: limit.signal }, (error, response) => {
      if (error) return end(error, null);
      const answer = readAnswer(response as IncomingMessage);
      answer.then(
        (read) => end(null, read),
        (error: Error) => end(error, null),
      );
    });
  };
  return docker;
}

/** Has the system's error code for a connection without data. */
class Silence extends Error {
  readonly code = 'ETIMEDOUT';

  constructor(limitMs: number, options: ErrorOptions) {
    super(`the engine has not answered within ${limitMs / 1000} s`, options);
  }
}

function startLimit(limitMs: number, also: AbortSignal | undefined) {
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(), limitMs);
  const isOver = () => ended.signal.aborted;
  const signal = also ? AbortSignal.any([also, ended.signal]) : ended.signal;
  return { signal, isOver, clear: () => clearTimeout(timer) };
}

/** Parses the response like the client: as JSON, or as bytes. Rejects if the connection ends before the response. */
async function readAnswer(response: IncomingMessage): Promise<object> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  try {
    return JSON.parse(body.toString('utf8')) || body;
  } catch {
    return body;
  }
}
