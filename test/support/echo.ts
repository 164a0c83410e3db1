/** For tests: a server that answers a page, and what comes by a WebSocket with the same bytes. */
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** RFC 6455, section 1.3. */
const uniqueId = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** At all addresses of 127.0.0.0/8. A frame of a browser comes back masked, as no server may send one: see `unmask`. */
export async function startEcho(
  page = 'plain',
  turn: (bytes: Buffer) => Buffer = (bytes) => bytes,
): Promise<{ port: number; server: Server }> {
  const server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(page));
  server.on('upgrade', ({ headers }, socket) => {
    const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${uniqueId}`).digest('base64');
    const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
    socket.write([...head, `Sec-WebSocket-Accept: ${accept}`, '', ''].join('\r\n'));
    socket.on('error', () => {}).on('end', () => socket.end());
    socket.on('data', (bytes: Buffer) => socket.write(turn(bytes)));
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  return { port: (server.address() as AddressInfo).port, server };
}

/** The frame of a server with the text of one short frame of a client. */
export function unmask(frame: Buffer): Buffer {
  const length = frame[1]! & 0x7f;
  const [mask, masked] = [frame.subarray(2, 6), frame.subarray(6, 6 + length)];
  return Buffer.from([frame[0]!, length, ...masked.map((byte, index) => byte ^ mask[index % 4]!)]);
}
