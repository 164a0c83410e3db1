/** Requests that never end, are too large or too many: each is cut off without an effect on other clients. */
import assert from 'node:assert/strict';
import { createConnection, type Socket } from 'node:net';
import { after, afterEach, before, test } from 'node:test';
import { until } from '../scenarios/berth.ts';
import { openWorld, plain, statusOf, type World } from './edge-world.ts';

const requestTimeoutMs = 400;
/** More than the edge, the kernel and the API buffer together. */
const maxTaken = 8 << 20;

let world: World;
before(async () => {
  world = await openWorld({ limits: { connectionsPerClient: 1000, requestTimeoutMs } });
});
after(() => world.end());
afterEach(async () => {
  assert.equal(statusOf(await send(plain('localhost', '/schema'))), '200', 'the API serves others');
  assert.equal(statusOf(await send(plain('victim.test', '/'))), '200', 'sites are served');
});

/** The answer to a client that sends its request in time. This process may pause between connecting and sending. */
function send(bytes: string): Promise<string> {
  return until('it is sent in time', async () => {
    const answer = await world.send(bytes);
    return statusOf(answer) === '408' ? undefined : answer || 'none';
  });
}

/** Sends the head, then parts for as long as they are taken; everything that comes back, and how much was taken. */
function feed(head: string, part: string, pauseMs?: number): Promise<{ answer: string; taken: number; ms: number }> {
  const beganAt = performance.now();
  return new Promise((resolve) => {
    let answer = '';
    const socket = createConnection(world.settings.port, '127.0.0.1', () => {
      socket.write(head);
      write(socket);
    });
    const write = (to: Socket) => {
      if (to.destroyed || to.bytesWritten > 4 * maxTaken) return void to.destroy();
      if (pauseMs === undefined) to.write(part, () => setImmediate(write, to));
      else if (to.write(part)) setTimeout(write, pauseMs, to);
    };
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve({ answer, taken: socket.bytesWritten, ms: performance.now() - beganAt }));
  });
}

function head(target: string, headers: string[]): string {
  return [`POST ${target} HTTP/1.1`, 'Host: localhost', 'Content-Type: text/x-yaml', ...headers, '', ''].join('\r\n');
}

/** The Error object of an answer. */
function problemIn(answer: string): { error: string; code: string; hint: string } {
  const problem = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
  assert.deepEqual(Object.keys(problem), ['error', 'code', 'hint']);
  return problem;
}

test('headers that trickle in are cut off after their time', async () => {
  const { answer, ms } = await feed('GET / HTTP/1.1\r\nHost: localhost\r\nX: ', 'x', 20);
  assert.equal(statusOf(answer), '408');
  assert.ok(ms < 100 * requestTimeoutMs, `${ms}`);
});

test('a hundred such clients are cut off alike, and the others are served during that time', async () => {
  const slow = Array.from({ length: 100 }, () => feed('GET / HTTP/1.1\r\n', 'X: x\r\n', 50));
  assert.equal(statusOf(await send(plain('localhost', '/schema'))), '200');
  const statuses = (await Promise.all(slow)).map(({ answer }) => statusOf(answer));
  // A connection that is reset while bytes are under way may take the answer with it.
  for (const status of statuses) assert.match(status, /^(?:408|none)$/);
  assert.ok(statuses.includes('408'));
});

test('a body that trickles in is cut off after its time, with an Error object', async () => {
  for (const headers of [['Content-Length: 1000'], ['Transfer-Encoding: chunked']]) {
    const part = headers[0]!.startsWith('T') ? '1\r\nx\r\n' : 'x';
    const { answer, ms } = await feed(head('/validate', headers), part, 20);
    assert.deepEqual([statusOf(answer), problemIn(answer).code], ['408', 'request_timeout']);
    assert.ok(ms < 100 * requestTimeoutMs, `${ms}`);
  }
});

test('a body without an end is not read to the end, wherever it is sent', async () => {
  const part = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  for (const target of ['/validate', '/startUserDeployment', '/extendDeployment', '/nothing', '/', '/%zz']) {
    const { answer, taken } = await feed(head(target, ['Transfer-Encoding: chunked']), part);
    assert.ok(taken < maxTaken, `${target} took ${taken} bytes`);
    // A connection that is reset while bytes are under way may take the answer with it.
    assert.match(statusOf(answer), /^(?:4\d\d|none)$/, target);
  }
});

test('a body that says it is huge is refused before it comes, to the API and to a host without a site', async () => {
  const rows: [status: string, head: string][] = [
    ['413', head('/validate', [])],
    ['404', head('/nothing', [])],
    ['404', plain('nowhere.test', '/')],
    ['404', plain('nowhere.test', '/').replace('GET', 'POST')],
  ];
  for (const [status, start] of rows) {
    const huge = start.replace(/(?:Connection: close\r\n)?\r\n$/, 'Content-Length: 10000000000\r\n\r\n');
    const { answer, taken } = await feed(huge, 'x'.repeat(0x10000));
    assert.ok(taken < maxTaken, `${start} took ${taken} bytes`);
    assert.match(statusOf(answer), new RegExp(`^(?:${status}|none)$`), start);
  }
});

test('heads that are too large are refused, by the API with an Error object', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: x`);
  const rows: [status: string, code: string, request: string][] = [
    ['431', 'headers_too_large', plain('localhost', '/schema', [`X: ${'x'.repeat(9_000)}`])],
    ['431', 'headers_too_large', plain('localhost', '/schema', [`X: ${'x'.repeat(20_000)}`])],
    ['431', 'headers_too_large', plain('localhost', '/schema', many(150))],
    ['414', 'uri_too_long', plain('localhost', `/${'x'.repeat(5_000)}`)],
    ['414', 'uri_too_long', plain('localhost', `/schema?${'x'.repeat(20_000)}`)],
  ];
  for (const [status, code, request] of rows) {
    const answer = await send(request);
    assert.deepEqual([statusOf(answer), problemIn(answer).code], [status, code]);
  }
  for (const request of [
    plain('localhost', '/schema', [`X: ${'x'.repeat(40_000)}`]),
    plain('localhost', '/schema', many(300)),
    plain('attacker.test', `/${'x'.repeat(40_000)}`),
    `GET / HTTP/1.1\r\n${'x'.repeat(40_000)}`,
  ])
    assert.equal(statusOf(await send(request)), '400');
  const large = plain('attacker.test', '/large', [`X: ${'x'.repeat(9_000)}`]);
  assert.equal(statusOf(await send(large)), '200', 'a site may have what the API does not need');
});

test('an unknown method is answered with an Error object', async () => {
  for (const method of ['BREW', 'TRACE', 'PROPFIND', 'get', 'X'.repeat(100)]) {
    const answer = await send(`${method} /schema HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    assert.deepEqual([statusOf(answer), problemIn(answer).code], ['405', 'method_not_allowed'], method);
    assert.match(answer, /\r\nallow: GET/i);
  }
});

test('requests that do not wait for their answers get them in their order', async () => {
  const targets = Array.from({ length: 100 }, (_, index) => (index % 2 ? '/healthz' : '/nothing'));
  const requests = targets.map((target) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join('');
  const answers = (await send(requests)).match(/HTTP\/1\.1 \d{3}/g);
  assert.deepEqual(
    answers,
    targets.map((target) => `HTTP/1.1 ${target === '/healthz' ? 200 : 404}`),
  );
});
