/** For what Debian's pebble does not have: stands before one, hands everything on, and changes what is said as a test wants. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, json } from 'node:stream/consumers';
import { makeAuthority } from '../support/certificate.ts';
import type { Pebble } from './pebble.ts';

export type StandIn = Pick<Pebble, 'directory' | 'rootFile'> & { close(): Promise<void> };

/** `payload`: what a client has signed; undefined of a question. `origin`: of the stand-in itself. */
export type Asked = { path: string; payload: object | undefined; origin: string };

export type Differences = {
  /** Whether it answers this itself. */
  answer(requested: Asked, response: ServerResponse): boolean;
  /** The replacement of pebble's answer to a client; undefined: the same. */
  change(requested: Asked, said: object): object | undefined;
};

export async function startStandIn(
  { directory, rootFile }: Pick<Pebble, 'directory' | 'rootFile'>,
  { answer, change }: Differences,
): Promise<StandIn> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-stand-in-'));
  const authority = await makeAuthority();
  const own = await authority.issue(['IP:127.0.0.1']);
  const roots = join(folder, 'root.pem');
  await writeFile(roots, authority.root);
  const behind = new Agent({ ca: await readFile(rootFile), keepAlive: true });
  const { hostname, port: target, pathname } = new URL(directory);

  const server = createServer(own, async (incoming, response) => {
    const { method, url: path = '/', headers } = incoming;
    const body = await buffer(incoming);
    const requested = { path, payload: payloadOf(body), origin: `https://${headers.host}` };
    if (answer(requested, response)) return;
    // The requested host: pebble builds its addresses from it, and checks signatures against them.
    const onward = request({ agent: behind, host: hostname, port: target, method, path, headers });
    onward.on('error', () => response.destroy()).end(body);
    const [said] = await once(onward, 'response');
    const { 'content-length': _, ...kept } = said.headers;
    const isJson = method !== 'HEAD' && /json/.test(String(said.headers['content-type']));
    if (!isJson) {
      response.writeHead(said.statusCode, said.headers);
      return said.pipe(response);
    }
    const value = (await json(said)) as object;
    response.writeHead(said.statusCode, kept);
    response.end(JSON.stringify(change(requested, value) ?? value));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    directory: `https://127.0.0.1:${port}${pathname}`,
    rootFile: roots,
    async close() {
      behind.destroy();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await rm(folder, { recursive: true });
    },
  };
}

function payloadOf(body: Buffer): object | undefined {
  if (body.length === 0) return undefined;
  const { payload } = JSON.parse(body.toString()) as { payload: string };
  return payload === '' ? undefined : JSON.parse(Buffer.from(payload, 'base64url').toString());
}
