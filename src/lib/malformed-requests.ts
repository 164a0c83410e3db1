/** Error responses for requests that Node's server refuses before a handler runs, in the same format as all others. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

type Refusal = { status: string; error: string; code: string; hint: string };

const late: Refusal = {
  status: '408 Request Timeout',
  error: 'The request did not arrive in time.',
  code: 'request_timeout',
  hint: 'Send it at once.',
};
const unreadable: Refusal = {
  status: '400 Bad Request',
  error: 'The request is not valid HTTP.',
  code: 'invalid_request',
  hint: 'Use an HTTP client.',
};
const unexpected: Refusal = {
  status: '417 Expectation Failed',
  error: 'The header Expect is not supported.',
  code: 'expectation_failed',
  hint: 'Leave the header out, or send 100-continue.',
};

/** Handles the event `clientError`. It has no request and no reply object, so this writes the response to the socket. */
export function answerUnreadable(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const refusal = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? late : unreadable;
  const body = bodyOf(refusal);
  const head = [`HTTP/1.1 ${refusal.status}`, ...headersOf(body).map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Without this, an `Expect` other than `100-continue` gets a response without a body. */
export function answerExpectations(server: Server): void {
  server.on('checkExpectation', (_: IncomingMessage, response: ServerResponse) => {
    const body = bodyOf(unexpected);
    response.writeHead(417, Object.fromEntries(headersOf(body))).end(body);
  });
}

function headersOf(body: string): [string, string][] {
  return [
    ['Content-Type', 'application/json; charset=utf-8'],
    ['Content-Length', String(body.length)],
    ['Connection', 'close'],
  ];
}

function bodyOf({ error, code, hint }: Refusal): string {
  return JSON.stringify({ error, code, hint });
}
