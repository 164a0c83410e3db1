/**
 * The program in an attacker's pod: makes the requested attempts and reports the results. The text of this file is in
 * the attacker's configuration.
 */
import { type ExecFileOptions, execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { createServer } from 'node:http';
import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';

export type Attempt =
  /** Succeeds with the first words of who answers. */
  | { by: 'tcp' | 'udp'; host: string; port: number }
  /** Succeeds with the status of the answer. */
  | { by: 'http'; host: string; port: number; path: string }
  | { by: 'ping'; host: string }
  /** Succeeds with the addresses; `server`: whom to ask, instead of the container's own resolver. */
  | { by: 'name'; host: string; server?: string }
  | { by: 'socket'; path: string }
  /** Runs a program to its end, as root or as another user; says how it ended and what it wrote, at most 60 kB. */
  | { by: 'program'; argv: [string, ...string[]]; user?: number; timeoutMs?: number }
  /** Opens so many connections at once; says how many have come about. */
  | { by: 'flood'; host: string; port: number; count: number };

/** `answer: …`; `connected`, to one that says nothing; `silence`, or an error's code. */
export type Outcome = string;

export function hasReached(outcome: Outcome): boolean {
  return outcome.startsWith('answer') || outcome === 'connected';
}

/** Allowed requests are answered within some milliseconds. Refusals arrive as fast, or never. */
const patienceMs = 1_500;

export async function attempt(wanted: Attempt): Promise<Outcome> {
  switch (wanted.by) {
    case 'tcp':
      return await connect({ host: wanted.host, port: wanted.port });
    case 'socket':
      return await connect({ path: wanted.path });
    case 'udp':
      return await send(wanted.host, wanted.port);
    case 'name':
      return await lookUp(wanted);
    case 'http':
      return await ask(`http://${wanted.host}:${wanted.port}${wanted.path}`);
    case 'ping':
      return await new Promise((resolve) => {
        execFile('ping', ['-c', '1', '-w', '1', wanted.host], (error) => resolve(error ? 'silence' : 'answer: pong'));
      });
    case 'program':
      return await run(wanted);
    case 'flood': {
      const all = Array.from({ length: wanted.count }, () => connect({ host: wanted.host, port: wanted.port }));
      const answers = (await Promise.all(all)).filter(hasReached);
      return `answer: ${answers.length} connections`;
    }
  }
}

function run({ argv, user, timeoutMs = 60_000 }: Extract<Attempt, { by: 'program' }>): Promise<Outcome> {
  const [program, ...args] = argv;
  const options = { ...(user !== undefined && { uid: user, gid: user }), timeout: timeoutMs, killSignal: 'SIGKILL' };
  return new Promise((resolve) => {
    execFile(program, args, { ...options, maxBuffer: 10_000_000 } as ExecFileOptions, (error, stdout, stderr) => {
      const end = error ? (error.signal ?? error.code ?? error.message) : 0;
      resolve(`${end}: ${`${stdout}${stderr}`.trim().slice(0, 60_000)}`);
    });
  });
}

async function lookUp({ host, server }: Extract<Attempt, { by: 'name' }>): Promise<Outcome> {
  const resolver = new Resolver({ timeout: patienceMs, tries: 1 });
  if (server !== undefined) resolver.setServers([server]);
  return await resolver.resolve4(host).then(
    (addresses) => `answer: ${addresses.join()}`,
    (error) => error.code,
  );
}

function connect(to: { host: string; port: number } | { path: string }): Promise<Outcome> {
  return new Promise((resolve) => {
    let isConnected = false;
    const socket = createConnection({ ...to, timeout: patienceMs });
    const end = (outcome: Outcome) => {
      socket.destroy();
      resolve(outcome);
    };
    socket
      .once('connect', () => {
        isConnected = true;
      })
      .once('data', (chunk) => end(`answer: ${String(chunk).trim()}`))
      .once('end', () => end('connected'))
      .once('timeout', () => end(isConnected ? 'connected' : 'silence'))
      .once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}

async function ask(url: string): Promise<Outcome> {
  try {
    const { status } = await fetch(url, { signal: AbortSignal.timeout(patienceMs) });
    return `answer: ${status}`;
  } catch (error) {
    const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    return name === 'TimeoutError' ? 'silence' : (cause?.code ?? name);
  }
}

function send(host: string, port: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    const end = (outcome: Outcome) => {
      clearTimeout(timer);
      socket.close();
      resolve(outcome);
    };
    const timer = setTimeout(() => end('silence'), patienceMs);
    socket
      .once('message', (message) => end(`answer: ${String(message).trim()}`))
      .once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    socket.bind(() => {
      socket.setBroadcast(true);
      socket.send('hello', port, host, (error) => error && end((error as NodeJS.ErrnoException).code ?? error.message));
    });
  });
}

if (import.meta.main) {
  createServer(async (request, response) => {
    const wanted = JSON.parse((await text(request)) || '[]') as Attempt[];
    response.end(JSON.stringify(await Promise.all(wanted.map(attempt))));
  }).listen(3000);
  process.once('SIGTERM', () => process.exit());
}
