/**
 * Tests the rules from the position of a container: a network namespace behind an interface with the name of a Berth
 * bridge. The namespace and its interfaces disappear with the program in it.
 */
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { ProgramError } from '../../../lib/run-program.ts';
import { bridgePrefix } from '../names.ts';
import type { CheckRequest, CheckResults } from './inside.ts';
import { asRoot, run, start } from './nft.ts';

/** Responses arrive within a millisecond, but on a busy machine it may take seconds to read them. */
const timeoutMs = 20_000;

/** Returns a message if the isolation fails, or undefined. Throws ProgramError if it cannot be tested. */
export async function checkFromInside(owner: string): Promise<string | undefined> {
  const findings = await tryFromInside(owner);
  // On a stalled machine, all packets of one test may be lost. Foreign rules drop those of every test.
  return checkMessage(findings.includes('silence') ? await tryFromInside(owner) : findings);
}

async function tryFromInside(owner: string): Promise<CheckResults> {
  const stage = newStage(owner);
  const inside = startInside();
  let listener: Server | undefined;
  try {
    const pid = Number(await inside.says());
    await run(asRoot(['ip', '-batch', '-']), hostSide(stage, pid));
    listener = await listen(stage.host);
    const { port } = listener.address() as { port: number };
    const targets = [
      { address: stage.host, port },
      { address: stage.beyond, port: 80 },
    ];
    inside.send({ setUp: podSide(stage), targets, timeoutMs });
    return JSON.parse(await inside.says()) as CheckResults;
  } finally {
    // The process ends with its input. The kernel then removes the namespace and its interfaces.
    inside.end();
    listener?.close();
  }
}

/**
 * PURE. Both connections must be refused, and only by the rules: a listener waits on this machine's address, and the
 * other address belongs to a network without hosts.
 */
export function checkMessage([host, beyond]: CheckResults): string | undefined {
  if (host === 'connected') return 'a container can reach services of this machine';
  if (beyond === 'connected') return 'a container can reach private networks';
  if (host === 'ECONNREFUSED' && beyond === 'ECONNREFUSED') return undefined;
  return `the rules are in force, but other rules take precedence (${host}, ${beyond})`;
}

function startInside() {
  const program = join(import.meta.dirname, 'inside.ts');
  const child: ChildProcess = start(asRoot(['unshare', '--net', process.execPath, program]));
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(new ProgramError(child.spawnargs[0]!, error, '', '')));
  });
  failed.catch(() => {});
  child.stdin!.on('error', () => {});
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const complaints = text(child.stderr!).catch(() => '');

  async function nextLine(): Promise<string> {
    const { value, done } = await lines.next();
    if (!done) return value;
    const ended = new Error('the program inside has ended');
    throw new ProgramError(child.spawnargs[0]!, ended, '', await complaints);
  }

  return {
    says: () => Promise.race([nextLine(), failed]),
    send: (request: CheckRequest) => child.stdin!.write(`${JSON.stringify(request)}\n`),
    end: () => child.stdin!.end(),
  };
}

type Stage = { bridge: string; sink: string; host: string; pod: string; beyond: string };

/**
 * Random names and addresses (four of 198.18.0.0/15, which no network uses), because others may test at the same time.
 */
function newStage(owner: string): Stage {
  const tag = randomBytes(3).toString('hex');
  const block = randomBytes(2).readUInt16BE() & ~3;
  const address = (offset: number) => `198.18.${block >> 8}.${(block & 255) + offset}`;
  return {
    bridge: `${bridgePrefix(owner)}${tag}`,
    sink: `bsink-${tag}`,
    host: address(1),
    pod: address(2),
    beyond: address(3),
  };
}

function hostSide({ bridge, sink, host, pod, beyond }: Stage, pid: number): string {
  return [
    `link add ${bridge} type veth peer name pod netns ${pid}`,
    `link add ${sink} type veth peer name sink netns ${pid}`,
    `addr add ${host}/32 peer ${pod} dev ${bridge}`,
    `link set ${bridge} up`,
    `link set ${sink} up`,
    `route add ${beyond}/32 dev ${sink}`,
    // No host answers for this hardware address; without the entry the kernel itself would report "unreachable".
    `neigh add ${beyond} lladdr 02:00:00:00:00:01 dev ${sink} nud permanent`,
    '',
  ].join('\n');
}

function podSide({ host, pod }: Stage): string {
  return [
    `addr add ${pod}/32 peer ${host} dev pod`,
    'link set pod up',
    'link set sink up',
    `route add default via ${host} dev pod`,
    '',
  ].join('\n');
}

async function listen(host: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  return server;
}
