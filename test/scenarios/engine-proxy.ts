/** Stands between a service and its engine, request by request, and can make it a bad engine. */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The fate of a request: it is answered late; refused with 500; the connection is closed before the engine receives it,
 * after the engine has done it, or in the middle of the answer; or it waits until the weather changes.
 */
export type Weather = 'fair' | 'slow' | 'error' | 'deaf' | 'mute' | 'cut' | 'hanging';

export type EngineProxy = {
  /** For DOCKER_HOST. */
  dockerHost: string;
  /** Called for each request; hanging requests continue when this is called. */
  setWeather(weatherOf: (request: { method: string; path: string }) => Weather): void;
  /** The number of requests, without streams of events, logs or pulls. */
  requests(): number;
  close(): Promise<void>;
};

const lateMs = 400;
const streams = /\/(events|images\/create|containers\/[^/]+\/logs)\b/;

export async function startEngineProxy(): Promise<EngineProxy> {
  const target = process.env.DOCKER_HOST?.replace(/^unix:\/\//, '') ?? '/var/run/docker.sock';
  const path = join(tmpdir(), `berth-proxy-${process.pid}.sock`);
  let weatherOf: (request: { method: string; path: string }) => Weather = () => 'fair';
  let change = Promise.withResolvers<void>();
  let requests = 0;

  async function answer(requested: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = requested;
    if (!streams.test(url)) requests++;
    const body = Buffer.concat(await Array.fromAsync(requested as AsyncIterable<Buffer>));
    let weather = weatherOf({ method, path: url });
    // An engine that continues performs its requests, even if their clients no longer wait.
    while (weather === 'hanging') {
      await change.promise;
      weather = weatherOf({ method, path: url });
    }
    if (weather === 'slow') await new Promise((resolve) => setTimeout(resolve, lateMs));
    if (weather === 'deaf') return void requested.socket.destroy();
    if (weather === 'error') return void response.writeHead(500).end('{"message":"the weather is bad"}');
    const forwarded = request({ socketPath: target, method, path: url, headers, agent: false });
    response.on('close', () => streams.test(url) && forwarded.destroy());
    // Later than its answer: the client has gone.
    forwarded.on('error', () => response.destroy()).end(body);
    const [answered] = (await once(forwarded, 'response')) as [IncomingMessage];
    if (weather === 'mute' || weather === 'cut') {
      // The engine has done it when its answer is complete.
      const whole = Buffer.concat(await Array.fromAsync(answered as AsyncIterable<Buffer>));
      if (weather === 'mute') return void requested.socket.destroy();
      response.writeHead(answered.statusCode!, { 'content-length': whole.length + 1 });
      response.write(whole.subarray(0, whole.length / 2), () => requested.socket.destroy());
      return;
    }
    response.writeHead(answered.statusCode!, answered.headers);
    response.flushHeaders();
    answered.on('error', () => response.destroy()).pipe(response);
    if (response.destroyed) answered.resume();
  }

  const server = createServer((requested, response) => {
    answer(requested, response).catch(() => response.destroy());
  });
  await rm(path, { force: true });
  server.listen(path);
  await once(server, 'listening');
  return {
    dockerHost: `unix://${path}`,
    setWeather(next) {
      weatherOf = next;
      change.resolve();
      change = Promise.withResolvers();
    },
    requests: () => requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await rm(path, { force: true });
    },
  };
}
