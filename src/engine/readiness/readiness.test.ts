import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Readiness, WorkloadName } from '../../deployment/workload/workload.ts';
import { attemptConnection, attemptRequest } from './attempts.ts';
import type { ContainerState } from './container-state.ts';
import { followElsewhere, type Listening, listeningReason, parseListening } from './listening.ts';
import { createProbe, type Probe, type ProbedReadiness, type ProbeOptions } from './probe.ts';
import { judge, type Probed, reasonElsewhere, uptimeMissingMs, type Verdict } from './readiness.ts';

const noCommand = () => Promise.reject(new Error('no command is to be run'));

const startedAtMs = 1_000_000;
const probeOf = (readiness: ProbedReadiness, options: Partial<ProbeOptions> = {}) =>
  createProbe({
    readiness,
    address: '127.0.0.1',
    startedAtMs,
    uptime: () => startedAtMs,
    minPeriodMs: 10_000,
    runCheck: noCommand,
    listens: async () => false,
    ...options,
  });
const port: Readiness = { kind: 'port', port: 3000 };
/** Only a silent server exceeds this time, even on a busy machine. */
const patientSeconds = 60;
/** An address without a server: a port that is used at 127.0.0.1 cannot be bound at all addresses at the same time. */
const elsewhere = '127.0.0.2';
const running = (changes: Partial<ContainerState> = {}): ContainerState => ({
  phase: 'running',
  startedAtMs,
  restarts: 0,
  pid: 1,
  ...changes,
});
const exit = (code: number, isOutOfMemory = false) => ({
  code,
  isOutOfMemory,
  memoryBytes: 512 * 2 ** 20,
  at: 0,
  finishedAt: '1970-01-01T00:00:00Z',
});
const refused = { isReady: false, because: { words: 'does not listen on port 3000', hint: 'mend it' } };
const well = { isReady: true, because: undefined };

const wordsOf = (verdict: Verdict) =>
  verdict.isReady ? undefined : `${verdict.because}${verdict.hint ? ` (${verdict.hint})` : ''}`;

test('a verdict says why, and what to do about it', () => {
  const table: [Readiness, ContainerState, Probed | undefined, string | undefined][] = [
    [port, running(), refused, 'does not listen on port 3000 (mend it)'],
    [port, running(), well, undefined],
    [port, running(), undefined, 'has no address yet'],
    [port, running({ exit: exit(1) }), undefined, 'exited with code 1'],
    [
      port,
      running({ exit: exit(137, true) }),
      undefined,
      'killed for memory (limit 512 MiB) (raise resources.limits.memory)',
    ],
    [port, running({ exit: exit(137) }), undefined, 'exited with code 137, killed'],
    [
      port,
      running({ exit: exit(0) }),
      undefined,
      'exited with code 0 (a service must keep running: check its `command`; a pod that is meant to end is a job, or has `mayEnd: true` (Compose: `restart: on-failure`, without ports))',
    ],
    [port, running({ phase: 'created' }), undefined, 'is created but not started'],
    [port, running({ health: { isHealthy: true, wasHealthy: false, output: '' } }), undefined, undefined],
    [
      port,
      running({ health: { isHealthy: false, wasHealthy: false, output: 'no route' } }),
      undefined,
      'the health check of its image has not succeeded yet: no route',
    ],
    [{ kind: 'exit' }, running(), undefined, 'has not finished yet'],
    [{ kind: 'exit' }, running({ phase: 'exited', exit: exit(0) }), undefined, undefined],
    [{ kind: 'exit' }, running({ phase: 'exited', exit: exit(3) }), undefined, 'exited with code 3'],
    [{ kind: 'running' }, running(), undefined, 'has only just started'],
  ];
  for (const [readiness, state, probe, because] of table) {
    const verdict = judge(readiness, state, probe, undefined, startedAtMs + 100);
    assert.equal(wordsOf(verdict), because);
  }
});

test('who was restarted says how it ended before', () => {
  const verdict = judge(port, running({ restarts: 2 }), refused, exit(1), startedAtMs + 100);
  assert.equal(wordsOf(verdict), 'exited with code 1; since its restart: does not listen on port 3000 (mend it)');
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
  const probe = probeOf(
    {
      kind: 'http',
      path: '/healthz',
      port: (server.address() as AddressInfo).port,
      initialDelaySeconds: 3,
      periodSeconds: 10,
      timeoutSeconds: patientSeconds,
      failureThreshold: 2,
    },
    { uptime: () => now },
  );
  assert.deepEqual([probe.isReady, probe.because?.words], [false, 'health check /healthz begins 3 s after the start']);
  assert.equal(probe.dueInMs(), 3_000);
  now += 3_000;
  await probe.attempt();
  assert.deepEqual([probe.isReady, probe.dueInMs()], [true, 10_000]);
  status = 503;
  await probe.attempt();
  assert.equal(probe.isReady, true);
  await probe.attempt();
  assert.deepEqual([probe.isReady, probe.because?.words], [false, 'health check /healthz answered 503']);
  status = 200;
  await probe.attempt();
  assert.deepEqual([probe.isReady, probe.because], [true, undefined]);
  server.close();
});

test('who answers badly from the start is unhealthy since its first answer, until its first good one', async () => {
  let status = 500;
  const hosts: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    hosts.push(headers.host);
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  let now = startedAtMs;
  const times = { initialDelaySeconds: 0, periodSeconds: 10, timeoutSeconds: patientSeconds };
  const check = { path: '/', ...times, failureThreshold: 1 };
  const checkOf = (host?: string, address = '127.0.0.1') =>
    probeOf({ kind: 'http', port, ...check, ...(host && { host }) }, { address, uptime: () => now });
  const probe = checkOf();
  for (const answered of [500, 503, 200, 500]) {
    status = answered;
    now += 1_000;
    await probe.attempt();
    const isFromStart = answered === 500 && now === startedAtMs + 1_000;
    const expected = isFromStart || answered === 503 ? startedAtMs + 1_000 : undefined;
    assert.equal(probe.unhealthySinceMs, expected, `${answered} at ${now - startedAtMs}`);
  }
  await checkOf('shop.example').attempt();
  assert.deepEqual([hosts[0], hosts.at(-1)], [`localhost:${port}`, 'shop.example'], 'a name that servers know');
  const refused = checkOf(undefined, elsewhere);
  await refused.attempt();
  assert.equal(refused.because?.kind, 'refused');
  assert.equal(refused.unhealthySinceMs, undefined, 'no response yet');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
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
  const ask = async (path: string, timeoutSeconds = patientSeconds) =>
    (await attemptRequest('127.0.0.1', { port, path, timeoutSeconds }))?.words;
  assert.equal(await ask('/moved'), undefined);
  assert.equal(await ask('/endless'), undefined);
  assert.equal(await ask('/silent', 0.1), 'health check /silent timed out after 0.1 s');
  assert.equal(await ask('/garbage'), 'health check /garbage got an answer that is not HTTP');
  assert.equal(await ask('/cut'), 'health check /cut was cut off');
  assert.ok(!paths.includes('/secret'));
  assert.deepEqual(await attemptConnection(elsewhere, port), {
    kind: 'refused',
    words: `does not listen on port ${port}`,
  });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('a path or a port that no request can be made of is a reason, not a crash', async () => {
  const http = { initialDelaySeconds: 0, periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 1 };
  for (const readiness of [
    { kind: 'http' as const, path: '/a b\n', port: 80, ...http },
    { kind: 'http' as const, path: '/', port: 70_000, ...http },
    { kind: 'port' as const, port: 70_000 },
  ]) {
    const probe = probeOf(readiness, { startedAtMs: 0, uptime: () => 0 });
    await probe.attempt();
    assert.match(probe.because?.words ?? '', /cannot be checked|is not a port/);
  }
});

test('the ports of a container are read from the kernel and shown if they help', () => {
  const table = `  sl  local_address rem_address   st tx_queue
   0: 0B00007F:9C4F 00000000:0000 0A 00000000:00000000
   1: 0100007F:0BB8 00000000:0000 0A 00000000:00000000
   2: 0200C80A:1F90 0100C80A:D431 01 00000000:00000000
  sl  local_address                         remote_address                        st
   0: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A`;
  const listening = parseListening(table);
  assert.deepEqual(listening, [
    { port: 3000, isLocalOnly: true },
    { port: 8080, isLocalOnly: false, isIPv6: true },
  ]);
  const words = (wanted: number, where = listening) => {
    const reason = listeningReason(where, wanted);
    return reason && `${reason.words} (${reason.hint})`;
  };
  assert.equal(words(3000), 'listens on 127.0.0.1:3000 only (make it listen on 0.0.0.0:3000)');
  assert.match(words(5000)!, /^listens on 8080, not on 5000 \(make it listen on 5000, or/);
  assert.equal(
    words(5000, listening.slice(0, 1)),
    'listens on 127.0.0.1:3000, not on 5000 (make it listen on 0.0.0.0:5000)',
  );
  assert.match(words(5000, [])!, /^does not listen on port 5000, nor on any other/);
  assert.equal(
    words(8080),
    'listens on port 8080 for IPv6 only (make it listen on 0.0.0.0:8080, or on [::]:8080 for both)',
  );
  assert.equal(words(8080, [{ port: 8080, isLocalOnly: false }]), undefined);
  assert.equal(listeningReason(undefined, 5000), undefined);
});

test('a program without a port in its first seconds is not listening yet; later it is reported', async () => {
  const labels = { pod: 'db', revision: 1, replica: 0, fingerprint: 'f', readiness: port };
  const probe = { because: { kind: 'refused', words: 'does not listen on port 3000' } } as Probe;
  const after = async (uptimeMs: number, listening: Listening[]) => {
    const known = { name: 'db' as WorkloadName, labels, state: running(), probe };
    return (await reasonElsewhere(known, uptimeMs, async () => ({ listening, cpuMs: 0 })))?.words;
  };
  const elsewhere = [{ port: 81, isLocalOnly: false }];
  assert.equal(await after(startedAtMs + 500, elsewhere), 'does not listen on port 3000 yet');
  assert.equal(await after(startedAtMs + 9_000, []), 'does not listen on port 3000 yet');
  assert.equal(await after(startedAtMs + 9_000, elsewhere), 'listens on 81, not on 3000');
  assert.equal(await after(startedAtMs + 10_000, []), 'does not listen on port 3000, nor on any other');
});

test('who listens elsewhere counts from the last sign that it is on its way: other ports, or work', () => {
  const first = followElsewhere(undefined, { ports: '81', open: [81], cpuMs: 500, atMs: 10_000 });
  assert.equal(first.sinceMs, 10_000);
  const idle = followElsewhere(first, { ports: '81', open: [81], cpuMs: 510, atMs: 20_000 });
  assert.equal(idle.sinceMs, 10_000);
  assert.equal(
    followElsewhere(idle, { ports: '81', open: [81], cpuMs: 600, atMs: 20_200 }),
    idle,
    'too short for a conclusion',
  );
  assert.equal(
    followElsewhere(idle, { ports: '81', open: [81], cpuMs: 2_000, atMs: 30_000 }).sinceMs,
    30_000,
    'it works',
  );
  assert.equal(
    followElsewhere(idle, { ports: '81 82', open: [81], cpuMs: 510, atMs: 30_000 }).sinceMs,
    30_000,
    'another port',
  );
  assert.equal(followElsewhere(idle, { ports: '81', open: [81], cpuMs: undefined, atMs: 30_000 }).sinceMs, 10_000);
});

test('a service that may end is ready after an exit with 0, and not if it was stopped together with its engine', () => {
  const worker: Readiness = { kind: 'running', mayEnd: true };
  const ended = (end: ReturnType<typeof exit> & { isStopped?: true }, readiness: Readiness = worker) =>
    wordsOf(judge(readiness, running({ phase: 'exited', exit: end }), undefined, end, startedAtMs));
  assert.equal(ended(exit(0)), undefined);
  assert.equal(ended(exit(0), { ...port, mayEnd: true }), undefined);
  assert.equal(ended(exit(1)), 'exited with code 1');
  assert.equal(ended({ ...exit(0), isStopped: true }), 'was stopped together with its engine');
  assert.match(ended(exit(0), { kind: 'running' })!, /^exited with code 0 \(a service must keep running/);
  // A cluster starts it again.
  assert.equal(wordsOf(judge(worker, running(), undefined, exit(0), startedAtMs)), undefined);
});
