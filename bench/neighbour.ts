/**
 * The cost of a hostile deployment for its neighbors: the time of a neighbor's answers and of the API's, in quiet and
 * under attack, one window after the other.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, send, untilOk } from './http.ts';
import type { Service, Started } from './service.ts';

/** Milliseconds of every answer of a window. */
export type Window = { site: number[]; api: number[] };

/** Window i of either came right after window i of the other. */
export type NeighbourTimes = { quiet: Window[]; attacked: Window[]; attack: AttackReport };

/** Results of the attacks, as counted by the attacker. Each must be above zero. */
export type AttackReport = { processes: number; killed: number; megabytes: number; connections: number };

const none: AttackReport = { processes: 0, killed: 0, megabytes: 0, connections: 0 };

/** An attack needs a moment to come about; what is measured of it ends before it does. */
const attackSeconds = 9;
const settleMs = 2_000;
const windowMs = 6_000;
/** A hundred requests a second of each kind: as fast as they are answered would be an attack of its own. */
const pauseMs = 10;
const patienceMs = 60_000;

export async function measureNeighbour(
  service: Service,
  { windows }: { windows: number },
  signal: AbortSignal,
): Promise<NeighbourTimes> {
  const neighbour = await service.start(webYaml('neighbour', calm));
  const attacker = await service.start(webYaml('attacker', fierce(service.port)));
  for (const { host } of [neighbour, attacker]) await untilOk({ host, port: service.port, path: '/' }, signal);
  const measure = () => measureWindow(service, neighbour, signal);
  const to = (path: string) => sendCommand(service, attacker, path, signal);
  const times: NeighbourTimes = { quiet: [], attacked: [], attack: none };
  await measure(); // the first requests warm everything up
  for (let window = 0; window < windows; window++) {
    times.quiet.push(await measure());
    const begunAt = performance.now();
    await to('/attack');
    await delay(settleMs, undefined, { signal });
    times.attacked.push(await measure());
    await delay(attackSeconds * 1000 - (performance.now() - begunAt), undefined, { signal });
    const report = JSON.parse((await to('/')).body) as AttackReport;
    const kinds = Object.keys(none) as (keyof AttackReport)[];
    times.attack = Object.fromEntries(kinds.map((kind) => [kind, times.attack[kind] + report[kind]])) as AttackReport;
    await delay(settleMs, undefined, { signal });
  }
  await service.requestRemoval(neighbour);
  await service.remove(attacker);
  const missing = Object.entries(times.attack).filter(([, count]) => count === 0);
  if (missing.length > 0) throw new Error(`The attack had no ${missing.map(([kind]) => kind).join(', ')}.`);
  return times;
}

async function measureWindow({ port, get }: Service, { host }: Started, signal: AbortSignal): Promise<Window> {
  const window: Window = { site: [], api: [] };
  const begunAt = performance.now();
  for (let dueAt = begunAt; dueAt < begunAt + windowMs; dueAt += pauseMs) {
    await delay(Math.max(0, dueAt - performance.now()), undefined, { signal });
    window.site.push(okMs(await send({ host, port, path: '/' }, signal)));
    window.api.push(okMs(await get('/healthz')));
  }
  return window;
}

function okMs({ status, ms }: Answer): number {
  if (status !== 200) throw new Error(`A neighbour of the attack was answered ${status}.`);
  return ms;
}

/** The attacker's own server suffers first: it hears some time. */
async function sendCommand({ port }: Service, { host }: Started, path: string, signal: AbortSignal): Promise<Answer> {
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    const answer = await send({ host, port, path }, signal).catch((error: Error) => error);
    if (!(answer instanceof Error) && answer.status === 200) return answer;
    await delay(50, undefined, { signal });
  }
  throw new Error('The attacker does not obey any more.');
}

const calm = `
require('node:http').createServer((_, response) => response.end('calm')).listen(3000);
process.once('SIGTERM', () => process.exit());
`;

/**
 * Fork bomb, memory, disk, connections to itself and to the edge, and all of its processor, in the limits that every container has. Every program
 * ends by itself: the attacker's own server is the first that starves.
 */
const fierce = (edgePort: number) => `
const { spawn } = require('node:child_process');
const { createServer } = require('node:http');
let report = {};

const memory = 'const kept = []; for (;;) kept.push(Buffer.alloc(16 * 2 ** 20, 1));';
const disk = 'while :; do dd if=/dev/zero of=/tmp/full bs=1M count=16 conv=fsync 2>/dev/null && echo 16; done';
const connections = \`
  const { connect } = require('node:net');
  const { readFileSync } = require('node:fs');
  // The default route's gateway: four bytes as hexadecimal numbers, the last one first.
  const route = readFileSync('/proc/net/route', 'utf8').split('\\\\n').map((line) => line.split('\\\\t'));
  const gateway = route.find((cells) => cells[1] === '00000000')[2].match(/../g).map((byte) => parseInt(byte, 16)).reverse().join('.');
  let made = 0;
  setInterval(() => { process.stdout.write(made + '\\\\n'); made = 0; }, 200);
  const more = (port, address) => connect(port, address)
    .once('connect', function () { made++; this.destroy(); setImmediate(more, port, address); })
    .once('error', () => setTimeout(more, 5, port, address));
  for (let wide = 0; wide < 50; wide++) more(3000, '127.0.0.1');
  for (let wide = 0; wide < 50; wide++) more(${edgePort}, gateway);
\`;
const bomb = \`
  count=$(ls /sys/fs/cgroup/pids/pids.current /sys/fs/cgroup/pids.current 2>/dev/null)
  for pair in $(seq 200); do
    timeout -s KILL ${attackSeconds - 1} sh -c 'while :; do :; done' &
    read processes < $count; echo $processes
  done\`;

function start(argv, onLine = () => {}, onEnd = () => {}) {
  const child = spawn('timeout', ['-s', 'KILL', '${attackSeconds}', ...argv], { stdio: ['ignore', 'pipe', 'ignore'] });
  child.on('error', () => {}).on('exit', onEnd);
  child.stdout.on('data', (chunk) => String(chunk).trim().split('\\n').forEach((line) => onLine(Number(line))));
}

createServer((request, response) => {
  if (request.url === '/attack') {
    report = { processes: 0, killed: 0, megabytes: 0, connections: 0 };
    start(['sh', '-c', disk], (megabytes) => { report.megabytes += megabytes; });
    start(['node', '-e', connections], (made) => { report.connections += made; });
    for (let count = 0; count < 3; count++) start(['node', '-e', memory], undefined, () => { report.killed++; });
    setTimeout(() => start(['sh', '-c', bomb], (processes) => { report.processes = Math.max(report.processes, processes); }), 700);
  }
  response.end(JSON.stringify(report));
}).listen(3000);
process.once('SIGTERM', () => process.exit());
`;

function webYaml(name: string, program: string): string {
  return `application:
  name: ${name}
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: node /app/server.cjs
      files:
        - path: /app/server.cjs
          content: |
${program.replaceAll(/^/gm, '            ')}
`;
}
