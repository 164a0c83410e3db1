/** A DNS server of a test's own, by UDP and TCP at 127.0.0.1: it says what the test wants, however wrong. */
import { createSocket, type RemoteInfo } from 'node:dgram';
import { createServer, type Socket } from 'node:net';
import packet, { type Answer, type Packet } from 'dns-packet';

/** The answer for a name; `drop`: none. */
export type Said = { answers?: Answer[]; rcode?: 'NXDOMAIN' | 'SERVFAIL' | 'REFUSED' } | Buffer | 'drop';

export type NameServer = AsyncDisposable & {
  /** `127.0.0.1:<port>` */
  address: string;
  port: number;
  /** The number of queries, by `TXT name`. */
  asked: Map<string, number>;
};

/** @param say by type and name, which is in lower case. */
export async function startNameServer(say: (type: string, name: string) => Said): Promise<NameServer> {
  const requested = new Map<string, number>();

  function answerTo(query: Buffer): Buffer | undefined {
    const { id, questions } = packet.decode(query);
    const question = questions?.[0];
    if (!question) return undefined;
    const name = question.name.toLowerCase();
    const key = `${question.type} ${name}`;
    requested.set(key, (requested.get(key) ?? 0) + 1);
    const said = say(question.type, name);
    if (said === 'drop') return undefined;
    if (Buffer.isBuffer(said)) return Buffer.concat([query.subarray(0, 2), said.subarray(2)]);
    const codes = { NXDOMAIN: 3, SERVFAIL: 2, REFUSED: 5 };
    const flags = packet.RECURSION_AVAILABLE | packet.AUTHORITATIVE_ANSWER | (said.rcode ? codes[said.rcode] : 0);
    return packet.encode({
      type: 'response',
      id: id!,
      flags,
      questions: [question],
      answers: said.answers ?? [],
    } as Packet);
  }

  const udp = createSocket('udp4');
  udp.on('message', (query: Buffer, from: RemoteInfo) => {
    const answer = answerTo(query);
    if (!answer) return;
    // A client repeats a query by TCP if the answer is too long for UDP.
    const isLong = answer.length > 1_232;
    const short = isLong ? Buffer.from(answer.subarray(0, 12)) : answer;
    if (isLong) {
      short[2]! |= 0x02;
      short.fill(0, 6, 12);
      short.writeUInt16BE(1, 4);
    }
    const questionEnd = query.indexOf(0, 12) + 5;
    udp.send(isLong ? Buffer.concat([short, query.subarray(12, questionEnd)]) : answer, from.port, from.address);
  });
  const sockets = new Set<Socket>();
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    let bytes = Buffer.alloc(0);
    socket.on('data', (part: Buffer) => {
      bytes = Buffer.concat([bytes, part]);
      while (bytes.length >= 2 && bytes.length >= 2 + bytes.readUInt16BE(0)) {
        const length = bytes.readUInt16BE(0);
        const answer = answerTo(bytes.subarray(2, 2 + length));
        bytes = bytes.subarray(2 + length);
        if (!answer) continue;
        const head = Buffer.alloc(2);
        head.writeUInt16BE(answer.length);
        socket.write(Buffer.concat([head, answer]));
      }
    });
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  const { port } = tcp.address() as { port: number };
  await new Promise<void>((resolve, reject) => {
    udp.once('error', reject);
    udp.bind(port, '127.0.0.1', resolve);
  });
  return {
    address: `127.0.0.1:${port}`,
    port,
    asked: requested,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await Promise.all([new Promise((done) => tcp.close(done)), new Promise<void>((done) => udp.close(() => done()))]);
    },
  };
}

/** A server of plain records, by `TYPE name`; a name that has none of any type does not exist. */
export function recordsOf(records: Record<string, readonly string[]>): (type: string, name: string) => Said {
  return (type, name) => {
    const alias = records[`CNAME ${name}`]?.[0];
    const cname = alias === undefined ? [] : [{ type: 'CNAME', name, data: alias, ttl: 1 } as Answer];
    const found = (of: string) =>
      (records[`${type} ${of}`] ?? []).map((data) => ({ type, name: of, data, ttl: 1 }) as Answer);
    const answers = [...cname, ...found(name), ...(alias === undefined ? [] : found(alias))];
    const isKnown = Object.keys(records).some((key) => key.endsWith(` ${name}`));
    return answers.length > 0 || isKnown ? { answers } : { rcode: 'NXDOMAIN' };
  };
}
