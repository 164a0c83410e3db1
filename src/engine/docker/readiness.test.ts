import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Readiness } from '../../deployment/workload.ts';
import { attemptConnection, attemptRequest } from './attempts.ts';
import { listeningWords, parseListening } from './listening.ts';
import { createProbe } from './probe.ts';
import { judge, uptimeMissingMs } from './readiness.ts';
import type { Sighting } from './sighting.ts';

const startedAtMs = 1_000_000;
const port: Readiness = { kind: 'port', port: 3000 };
const running = (changes: Partial<Sighting> = {}): Sighting => ({
  phase: 'running',
  startedAtMs,
  restarts: 0,
  pid: 1,
  ...changes,
});
const exit = (code: number, isOutOfMemory = false) => ({ code, isOutOfMemory, memoryBytes: 512 * 2 ** 20 });
const refused = { isReady: false, because: 'port 3000 refuses connections' };

test('a verdict says why', () => {
  const table: [Readiness, Sighting, typeof refused | undefined, string | undefined][] = [
    [port, running(), refused, 'port 3000 refuses connections'],
    [port, running(), { isReady: true, because: '' }, undefined],
    [port, running(), undefined, 'has no address yet'],
    [port, running({ exit: exit(1) }), undefined, 'exited with code 1'],
    [port, running({ exit: exit(137, true) }), undefined, 'killed for memory (limit 512 MiB)'],
    [port, running({ exit: exit(137) }), undefined, 'exited with code 137 (killed)'],
    [port, running({ exit: exit(0) }), undefined, 'exited with code 0'],
    [port, running({ phase: 'created' }), undefined, 'is created but not started'],
    [port, running({ health: { isHealthy: true, output: '' } }), undefined, undefined],
    [
      port,
      running({ health: { isHealthy: false, output: 'no route' } }),
      undefined,
      'the health check of its image has not succeeded yet: no route',
    ],
    [{ kind: 'exit' }, running(), undefined, 'has not finished yet'],
    [{ kind: 'exit' }, running({ phase: 'exited', exit: exit(0) }), undefined, undefined],
    [{ kind: 'exit' }, running({ phase: 'exited', exit: exit(3) }), undefined, 'exited with code 3'],
    [{ kind: 'running' }, running(), undefined, 'has only just started'],
  ];
  for (const [readiness, sighting, probe, because] of table) {
    const verdict = judge(readiness, sighting, probe, undefined, startedAtMs + 100);
    assert.deepEqual(verdict, because === undefined ? { isReady: true } : { isReady: false, because });
  }
});

test('who was restarted says how it ended before', () => {
  const verdict = judge(port, running({ restarts: 2 }), refused, exit(1), startedAtMs + 100);
  assert.equal(verdict.because, 'exited with code 1; since its restart: port 3000 refuses connections');
});

test('a worker is ready after half a second, and after ten once it has been restarted', () => {
  assert.equal(uptimeMissingMs(running(), startedAtMs + 100), 400);
  assert.equal(uptimeMissingMs(running(), startedAtMs + 500), 0);
  assert.equal(uptimeMissingMs(running({ restarts: 1 }), startedAtMs + 500), 9_500);
});

test('a health check begins after its delay, repeats at its period, and tolerates failures up to its threshold', async () => {
  let status = 200;
  const server = createServer((_, response) => response.writeHead(status).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let now = startedAtMs;
  const probe = createProbe(
    {
      kind: 'http',
      path: '/healthz',
      port: (server.address() as AddressInfo).port,
      initialDelaySeconds: 3,
      periodSeconds: 10,
      timeoutSeconds: 1,
      failureThreshold: 2,
    },
    '127.0.0.1',
    startedAtMs,
    () => now,
  );
  assert.deepEqual([probe.isReady, probe.because], [false, 'health check /healthz begins 3 s after the start']);
  assert.equal(probe.dueInMs(), 3_000);
  now += 3_000;
  await probe.attempt();
  assert.deepEqual([probe.isReady, probe.dueInMs()], [true, 10_000]);
  status = 503;
  await probe.attempt();
  assert.equal(probe.isReady, true);
  await probe.attempt();
  assert.deepEqual([probe.isReady, probe.because], [false, 'health check /healthz answered 503']);
  status = 200;
  await probe.attempt();
  assert.deepEqual([probe.isReady, probe.because], [true, '']);
  server.close();
});

test('redirects are healthy and not followed; what is too slow or no HTTP is not', async () => {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    if (request.url === '/moved') response.writeHead(302, { location: '/secret' }).end();
    else if (request.url === '/endless') response.writeHead(200).write('x'.repeat(1000));
    else if (request.url === '/garbage') request.socket.end('SSH-2.0-server\r\n');
    else if (request.url === '/cut') request.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ask = (path: string) => attemptRequest('127.0.0.1', port, path, 100);
  assert.equal(await ask('/moved'), undefined);
  assert.equal(await ask('/endless'), undefined);
  assert.equal(await ask('/silent'), 'health check /silent did not answer within 0.1 s');
  assert.equal(await ask('/garbage'), 'health check /garbage got an answer that is not HTTP');
  assert.equal(await ask('/cut'), 'health check /cut was cut off');
  assert.ok(!paths.includes('/secret'));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  assert.equal(await attemptConnection('127.0.0.1', port), `port ${port} refuses connections`);
});

test('a path or a port that no request can be made of is a reason, not a crash', async () => {
  const http = { initialDelaySeconds: 0, periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 1 };
  for (const readiness of [
    { kind: 'http' as const, path: '/a b\n', port: 80, ...http },
    { kind: 'http' as const, path: '/', port: 70_000, ...http },
    { kind: 'port' as const, port: 70_000 },
  ]) {
    const probe = createProbe(readiness, '127.0.0.1', 0, () => 0);
    await probe.attempt();
    assert.match(probe.because, /cannot be asked|is not a port/);
  }
});

test('where a container listens is read from the kernel and told when it helps', () => {
  const table = `  sl  local_address rem_address   st tx_queue
   0: 0B00007F:9C4F 00000000:0000 0A 00000000:00000000
   1: 0100007F:0BB8 00000000:0000 0A 00000000:00000000
   2: 0200C80A:1F90 0100C80A:D431 01 00000000:00000000
  sl  local_address                         remote_address                        st
   0: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A`;
  const listening = parseListening(table);
  assert.deepEqual(listening, [
    { port: 3000, isLocalOnly: true },
    { port: 8080, isLocalOnly: false },
  ]);
  assert.equal(listeningWords(listening, 3000), ' (it listens on localhost only; let it listen on 0.0.0.0)');
  assert.equal(listeningWords(listening, 5000), ' (it listens on 8080)');
  assert.equal(listeningWords([], 5000), ' (it listens on no port)');
  assert.equal(listeningWords(undefined, 5000), '');
});
