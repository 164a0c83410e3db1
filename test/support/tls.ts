/** For tests: what a client sees of HTTPS at a port of this machine. */
import { execFile } from 'node:child_process';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { Agent, type RequestOptions, request } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import type { Answer, Asked } from './edge.ts';

/** A client that trusts only this root. With `keepAlive`, connections serve further requests of the same host. */
export function tlsClient(port: number, root: string, { keepAlive = false } = {}) {
  const agent = keepAlive ? new Agent({ keepAlive: true, ca: root }) : undefined;
  const options = { port, host: '127.0.0.1', ca: root };
  return {
    /** One connection a request, unless they are kept. */
    ask: ({ host = 'localhost', path = '/', method = 'GET', headers = {}, body }: Asked): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const sent: RequestOptions = { ...options, path, method, headers: { host, ...headers }, agent: agent ?? false };
        const outgoing = request({ ...sent, servername: host.replace(/:\d+$/, '') }, async (incoming) => {
          try {
            let text = '';
            for await (const part of incoming.setEncoding('utf8')) text += part;
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text });
          } catch (error) {
            reject(error);
          }
        });
        outgoing.on('error', reject).end(body);
      }),
    close: () => agent?.destroy(),
    /** Once the certificate was accepted. */
    connect: (servername: string, alpn = ['http/1.1']): Promise<TLSSocket> =>
      new Promise((resolve, reject) => {
        const socket = connect({ ...options, servername, ALPNProtocols: alpn });
        socket.once('secureConnect', () => resolve(socket)).once('error', reject);
      }),
    http2: (host: string): ClientHttp2Session =>
      connectHttp2(`https://${host}`, {
        createConnection: () => connect({ ...options, servername: host, ALPNProtocols: ['h2'] }),
      }),
  };
}

/** The serial number of the certificate for this name, trusted or not. */
export function shownSerial(port: number, servername?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...(servername && { servername }) });
    socket.once('error', reject).once('secureConnect', () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
  });
}

/**
 * The protocol and cipher that `openssl s_client` negotiates, such as `TLSv1.3, TLS_AES_256_GCM_SHA384`; undefined
 * without any.
 */
export function agreed(port: number, ...words: string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    // Debian's own level of security offers nothing before TLS 1.2: here it is the server that refuses.
    const offer = ['-connect', `127.0.0.1:${port}`, '-cipher', 'ALL:@SECLEVEL=0', ...words];
    const child = execFile('openssl', ['s_client', ...offer], (_, stdout) => {
      const [, version, cipher] = /New, (TLSv[\d.]+), Cipher is (\S+)/.exec(stdout) ?? [];
      resolve(version && cipher !== '(NONE)' ? `${version}, ${cipher}` : undefined);
    });
    child.stdin?.end();
  });
}
