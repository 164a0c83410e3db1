/**
 * Stand-ins for what a container should or should not reach. A program of its own, so that it can run in another
 * network; takes one JSON document a line, and answers each with a line.
 */
import { createSocket } from 'node:dgram';
import { createConnection, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { run } from '../../src/engine/docker/firewall/nft.ts';
import { type Attempt, attempt } from './agent.ts';

export type Order =
  /** For `ip -batch`. */
  | { kind: 'set-up'; commands: string[] }
  /** Sends its text to each client that connects, or sends a datagram. */
  | { kind: 'listen'; address: string; port: number; says: string }
  /** Answers datagrams to a multicast group in the networks where this machine has these addresses. */
  | { kind: 'join'; group: string; gateways: string[]; port: number; says: string }
  /** Names, and the address that each has. */
  | { kind: 'resolve'; address: string; names: Record<string, string> }
  /** Passes connections on to a socket of the file system. */
  | { kind: 'forward'; address: string; port: number; path: string }
  /** All at once. */
  | { kind: 'attempt'; attempts: Attempt[] };

async function obey(order: Order): Promise<unknown> {
  switch (order.kind) {
    case 'set-up':
      return await run(['ip', '-batch', '-'], order.commands.map((command) => `${command}\n`).join(''));
    case 'listen': {
      await serve(order.address, order.port, (socket) => socket.end(`${order.says}\n`));
      const datagrams = createSocket({ type: order.address.includes(':') ? 'udp6' : 'udp4', reuseAddr: true });
      datagrams.on('message', (_, { address, port }) => datagrams.send(order.says, port, address, () => {}));
      return await new Promise<void>((resolve) => datagrams.bind(order.port, order.address, resolve));
    }
    case 'join': {
      const datagrams = createSocket('udp4');
      datagrams.on('message', (_, { address, port }) => datagrams.send(order.says, port, address, () => {}));
      await new Promise<void>((resolve) => datagrams.bind(order.port, '0.0.0.0', resolve));
      for (const gateway of order.gateways) datagrams.addMembership(order.group, gateway);
      return;
    }
    case 'resolve': {
      const datagrams = createSocket('udp4');
      datagrams.on('message', (query, { address, port }) =>
        datagrams.send(answerTo(query, order.names), port, address, () => {}),
      );
      return await new Promise<void>((resolve) => datagrams.bind(53, order.address, resolve));
    }
    case 'forward':
      return await serve(order.address, order.port, (socket) => {
        const target = createConnection(order.path);
        socket.pipe(target).pipe(socket);
        target.on('error', () => socket.destroy());
      });
    case 'attempt':
      return await Promise.all(order.attempts.map(attempt));
  }
}

function serve(address: string, port: number, take: (socket: Socket) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      take(socket);
    });
    server.once('error', reject).listen({ host: address, port, ipv6Only: address.includes(':') }, resolve);
  });
}

/** An answer of the domain name system to a query for one address (RFC 1035): the query, and its answer behind it. */
function answerTo(query: Buffer, names: Record<string, string>): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const question = query.subarray(12, at + 5);
  const isForIPv4 = query.readUInt16BE(at + 1) === 1;
  const known = names[labels.join('.').toLowerCase()];
  const address = isForIPv4 ? known : undefined;
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
  for (const [offset, count] of [
    [4, 1],
    [6, address ? 1 : 0],
    [8, 0],
    [10, 0],
  ] as const)
    header.writeUInt16BE(count, offset);
  if (!address) return Buffer.concat([header, question]);
  // A pointer to the name of the question; an address; of this network; for a second; four bytes.
  const head = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4]);
  return Buffer.concat([header, question, head, Buffer.from(address.split('.').map(Number))]);
}

process.stdout.write(`${process.pid}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const answer = await obey(JSON.parse(line) as Order).catch((error: Error) => ({ error: error.message }));
  process.stdout.write(`${JSON.stringify(answer ?? null)}\n`);
}
process.exit();
