/**
 * `npm run fuzz -- --seconds 60 --seed 1`: sends generated requests and garbage to a real service for so many seconds of
 * processor time, its own and the service's. Fails at the first answer that the interface does not allow, at a crash,
 * and when the service's memory grows.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { announceOn } from '../../scripts/setup/announce.ts';
import { inspectHost } from '../../scripts/setup/host.ts';
import { provideProxy } from '../../scripts/setup/proxy.ts';
import { type Answer, exchange, patience, readAnswers } from './exchange.ts';
import { createJudge } from './judge.ts';
import { createMemoryTrend } from './memory-trend.ts';
import { type Asked, type Known, operationsIn, type Plan, write } from './operations.ts';
import { requests } from './requests.ts';
import type { Measured, Ready } from './service.ts';

const atOnce = 16;
const batch = 400;
const measureEvery = 1_000;
const maxTokens = 30;
/** Few, so that requests use images that other requests have pushed. */
const maxPushers = 4;

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string' } } });
const seconds = Number(values.seconds);
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
if (!(seconds > 0) || !Number.isInteger(seed)) throw new Error('--seconds and --seed are numbers');

await provideProxy(await inspectHost(), announceOn(process.stdout));
console.log(`Fuzzing for ${seconds} s of processor time; repeat with --seed ${seed}`);
const service = await startService();
process.exitCode = (await fuzz().finally(() => service.end())) ? 0 : 1;

async function fuzz(): Promise<boolean> {
  const { port, victimToken, victimNamespace } = service.ready;
  const judge = createJudge(victimToken);
  const description = readAnswers(
    await exchange(port, get('/openapi.json?examples=true'), patience.complete),
    false,
  )[0]!;
  const plans = requests(operationsIn(JSON.parse(description.body)));
  const known: Known = {
    tokens: [],
    dead: [],
    claims: [],
    pushers: [],
    uploads: [],
    victimNamespace,
    signedIn: await signUp(port),
  };
  const tally = new Map<string, number>();
  const trend = createMemoryTrend();
  const seen = { count: 0, cpuSeconds: 0 };
  let complaint: string | undefined;

  const one = async (plan: Plan) => {
    const requested = plan(known);
    const bytes = await exchange(port, requested.bytes, patienceWith(requested));
    const answers = readAnswers(bytes, requested.bytes.toString('latin1', 0, 5) === 'HEAD ');
    seen.count += 1;
    for (const answer of answers) count(tally, requested, answer);
    learn(known, requested, answers[0]);
    const said = judge(requested, answers);
    if (said) complaint ??= `${said}\n  sent ${show(requested.bytes)}\n  answered ${show(bytes)}`;
  };

  for (let round = 0; complaint === undefined && seen.cpuSeconds < seconds; round++) {
    const queue = fc.sample(plans, { numRuns: batch, seed: (seed + Math.imul(round, 0x9e3779b1)) | 0 });
    const workers = Array.from({ length: atOnce }, async () => {
      for (let plan = queue.pop(); plan && complaint === undefined; plan = queue.pop()) {
        await one(plan).catch((error: Error) => {
          complaint ??= error.stack ?? String(error);
        });
      }
    });
    await Promise.all(workers);
    if (service.hasEnded()) complaint ??= 'the service has ended';
    if (complaint !== undefined || seen.count < measureEvery * (trend.count() + 1)) continue;
    const measured = await service.measure();
    const { user, system } = process.cpuUsage();
    seen.cpuSeconds = measured.cpuSeconds + (user + system) / 1e6;
    trend.add(measured, seen.cpuSeconds / seconds);
    complaint = measured.faults[0];
  }
  complaint ??= trend.complaint();
  report(tally);
  console.log(`${seen.count} requests, ${Math.round(seen.cpuSeconds)} s of processor time; ${trend.describe()}`);
  if (complaint !== undefined) console.error(`\nFAILED (--seed ${seed}): ${complaint}`);
  return complaint === undefined;
}

function patienceWith({ operation, isRegistry }: Asked) {
  if (isRegistry) return patience.complete;
  if (!operation) return patience.incomplete;
  const isStream = Object.values(operation.responses).some(({ content = {} }) => 'text/event-stream' in content);
  return isStream ? patience.stream : patience.complete;
}

/** Tokens that the service gives are used in later requests, and go on being used when they are dead. */
function learn(known: Known, requested: Asked, answer: Answer | undefined): void {
  if (requested.operation?.path === '/startUserDeployment' && answer?.status === 200) {
    const { sessionToken: token, applicationName: name } = JSON.parse(answer.body);
    if (known.tokens.length < maxTokens) known.tokens.push({ token, name });
  }
  if (requested.operation?.path === '/createSession' && answer?.status === 200) {
    const { sessionToken: token, images } = JSON.parse(answer.body);
    if (known.pushers.length < maxPushers) known.pushers.push({ token, namespace: images.split('/')[1] });
  }
  if (requested.isRegistry && answer?.status === 202) {
    const location = answer.headers.get('location');
    if (location) known.uploads = [...known.uploads, location].slice(-maxTokens);
  }
  if (requested.operation?.path === '/claimDeployment' && answer?.status === 200) {
    known.claims = [...known.claims, JSON.parse(answer.body).claimToken].slice(-maxTokens);
  }
  if (answer?.status === 404 && answer.body.includes('session_not_found')) {
    known.tokens = known.tokens.filter(({ token }) => token !== requested.token);
    if (requested.token) known.dead = [...known.dead, requested.token].slice(-maxTokens);
  }
}

/** A user with an account, in a browser with the dashboard open. */
async function signUp(port: number): Promise<Known['signedIn']> {
  const origin = `http://localhost:${port}`;
  const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' };
  const headers: [string, string][] = [
    ['Content-Type', 'application/json'],
    ['Origin', origin],
  ];
  const request = write('POST', '/api/auth/sign-up/email', headers, JSON.stringify(person));
  const [answer] = readAnswers(await exchange(port, request, patience.complete), false);
  const cookie = answer?.headers.get('set-cookie')?.split(';')[0];
  if (answer?.status !== 200 || !cookie) throw new Error(`signing up failed: ${answer?.status} ${answer?.body}`);
  return { cookie, origin };
}

function count(tally: Map<string, number>, { operation, isRegistry, bytes }: Asked, { status, body }: Answer): void {
  const code = /"code":"([a-z_]+)"/i.exec(body)?.[1];
  const method = bytes.toString('latin1', 0, bytes.indexOf(' '));
  const what = `${operation?.path ?? (isRegistry ? `/v2/ ${method}` : 'garbage')} ${status}${status >= 400 && code ? ` ${code}` : ''}`;
  tally.set(what, (tally.get(what) ?? 0) + 1);
}

function report(tally: Map<string, number>): void {
  for (const [what, times] of [...tally].sort()) console.log(`${String(times).padStart(8)}  ${what}`);
}

function show(bytes: Buffer): string {
  return JSON.stringify(bytes.toString('latin1').slice(0, 4_000));
}

function get(target: string): Buffer {
  return Buffer.from(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
}

async function startService() {
  const file = new URL('service.ts', import.meta.url);
  const child: ChildProcess = fork(file, { execArgv: ['--expose-gc'] });
  const [ready] = (await once(child, 'message')) as [Ready];
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    ready,
    hasEnded,
    async measure(): Promise<Measured> {
      child.send('measure');
      const [measured] = (await once(child, 'message')) as [Measured];
      return measured;
    },
    async end(): Promise<void> {
      if (hasEnded()) return;
      child.send('end');
      await once(child, 'exit');
    },
  };
}
