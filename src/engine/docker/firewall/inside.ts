/**
 * The other side of the self-check: a separate program in a network namespace, connected by an interface with the name
 * of a container's bridge. It prints its process ID, reads one line of JSON, tries the connections, and prints the
 * results as JSON.
 */
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';
import { run } from './nft.ts';

export type CheckRequest = {
  /** For `ip -batch`: addresses and routes in this namespace. */
  setUp: string;
  targets: { address: string; port: number }[];
  timeoutMs: number;
};

/** `ECONNREFUSED` and the like; `connected`; `silence`. */
export type CheckResults = string[];

process.stdout.write(`${process.pid}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const { setUp, targets, timeoutMs } = JSON.parse(line) as CheckRequest;
  await run(['ip', '-batch', '-'], setUp);
  const findings: CheckResults = await Promise.all(targets.map((target) => attempt(target, timeoutMs)));
  process.stdout.write(`${JSON.stringify(findings)}\n`);
  break;
}
process.exit();

function attempt({ address, port }: CheckRequest['targets'][number], timeoutMs: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: address, port, timeout: timeoutMs });
    socket
      .once('connect', () => resolve('connected'))
      // Data that arrived while this process was not scheduled is read before it counts as silence.
      .once('timeout', () => setImmediate(() => resolve('silence')))
      .once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}
