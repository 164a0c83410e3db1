/** A chat that an agent might write: WebSockets in one pod, and Redis in another through which its lines go. */
import { once } from 'node:events';
import { Agent, WebSocket } from 'undici';

export const chatYaml = (port: number) => `application:
  name: chat
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [${port}]
      command: node /app/server.mjs
      vars: { STORE_URL: "redis://store.pod:6379" }
      files:
        - path: /app/server.mjs
          content: |
            import { createHash } from 'node:crypto';
            import { createServer } from 'node:http';
            import { connect } from 'node:net';
            const { hostname: host, port } = new URL(process.env.STORE_URL);
            const sockets = new Set();
            const said = connect({ host, port });
            const heard = connect({ host, port }, () => heard.write('SUBSCRIBE chat\\r\\n'));
            heard.on('data', (bytes) => {
              for (const [, text] of String(bytes).matchAll(/\\r\\nchat\\r\\n\\$\\d+\\r\\n(.*)\\r\\n/g))
                for (const socket of sockets) socket.write(Buffer.from(\`\\x81\${String.fromCharCode(text.length)}\${text}\`, 'latin1'));
            });
            const server = createServer((_, response) => response.end('chat'));
            server.on('upgrade', ({ headers }, socket) => {
              const key = \`\${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11\`;
              const accepted = createHash('sha1').update(key).digest('base64');
              const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
              socket.write([...head, \`Sec-WebSocket-Accept: \${accepted}\`, '', ''].join('\\r\\n'));
              sockets.add(socket.once('close', () => sockets.delete(socket)));
              socket.on('error', () => socket.destroy());
              socket.on('data', (frame) => {
                if ((frame[0] & 15) !== 1) return socket.end();
                const text = frame.subarray(6, 6 + (frame[1] & 127)).map((byte, at) => byte ^ frame[2 + (at % 4)]);
                said.write(\`PUBLISH chat "\${text}"\\r\\n\`);
              });
            });
            // A visitor may send a line as soon as the page is there.
            heard.once('data', () => server.listen(3000));
    - name: store
      image: redis:7
      servicePorts: [6379]
`;

/** The message that one visitor of the chat receives when another one sends a text. */
export async function heardFrom(url: string, text: string): Promise<string> {
  const dispatcher = new Agent({
    connect: { lookup: (_name, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]) },
  });
  const join = async () => {
    const socket = new WebSocket(url.replace('http', 'ws'), { dispatcher });
    await next(socket, 'open');
    return socket;
  };
  const [one, other] = [await join(), await join()];
  try {
    const received = next(other, 'message');
    one.send(text);
    return ((await received) as { data: string }).data;
  } finally {
    for (const socket of [one, other]) socket.close();
    await dispatcher.close();
  }
}

/** Returns the next event of this type. Rejects if the connection ends first. */
async function next(socket: WebSocket, type: string): Promise<unknown> {
  const closed = new AbortController();
  socket.addEventListener('close', () => closed.abort(new Error('the connection has ended')), { once: true });
  const [event] = await once(socket, type, { signal: closed.signal });
  return event;
}
