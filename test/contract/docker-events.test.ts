/** The stream of events, when the engine's connection breaks. */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import Docker from 'dockerode';
import { createDockerEngine } from '../../src/engine/docker/docker.ts';
import { until } from '../scenarios/berth.ts';
import { dockerContractor, networkPool } from './docker-contractor.ts';
import { setStage } from './engine.ts';

describe('docker engine: events', () => {
  let owner = '';
  const { newScene } = setStage(async () => {
    const made = await dockerContractor();
    owner = made.owner;
    return made;
  });

  test('watchers receive events that happened while the connection was lost', async () => {
    const path = join(tmpdir(), `berth-${owner}.sock`);
    const proxy = await startProxy(path);
    const stop = new AbortController();
    try {
      const engine = createDockerEngine({ docker: new Docker({ socketPath: path }), owner, networkPool });
      const received: string[] = [];
      engine.watch((deploymentId) => received.push(deploymentId), stop.signal);
      const [first, second] = [newScene(), newScene()];
      await first.start(first.workload('web'));
      await until('it hears of the first', async () => received.includes(first.id));
      proxy.breakConnections(300);
      await second.start(second.workload('web'));
      await until('it hears of the second', async () => received.includes(second.id));
    } finally {
      stop.abort();
      await proxy.close();
    }
  });
});

/** A proxy between the engine and its clients, at a socket of its own. */
async function startProxy(path: string) {
  const target = process.env.DOCKER_HOST?.replace(/^unix:\/\//, '') ?? '/var/run/docker.sock';
  const sockets = new Set<Socket>();
  let isDown = false;
  const server = createServer((near) => {
    if (isDown) return void near.destroy();
    const far = connect(target);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  server.listen(path);
  await once(server, 'listening');
  return {
    breakConnections(forMs: number) {
      isDown = true;
      for (const socket of sockets) socket.destroy();
      setTimeout(() => {
        isDown = false;
      }, forMs);
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await rm(path, { force: true });
    },
  };
}
