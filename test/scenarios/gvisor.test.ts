import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { release } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import Docker from 'dockerode';
import { labelKeys } from '../../src/engine/labels.ts';
import { buildImage } from '../contract/image.ts';
import { runInside } from '../images/containers.ts';
import { type Berth, createBerth, until } from './berth.ts';
import { tellOfGvisor } from './gvisor-engine.ts';
import { createPrivateEngine, type PrivateEngine } from './private-engine.ts';

let engine: PrivateEngine;
let berth: Berth;
let bystander: string;
before(async () => {
  const image = await buildImage(new Docker(), { name: 'contract' });
  engine = await createPrivateEngine();
  await engine.load(image, 'node:26-slim', 'postgres:15', 'redis:7', 'nginx:1');
  bystander = image;
  berth = await createBerth({ BERTH_RUNTIME: 'runsc' }, { engine });
});
after(async () => {
  await berth?.destroy();
  await engine?.close();
});

test('a service whose engine does not know gVisor does not start, and says what to do', async () => {
  await assert.rejects(berth.serve(), /does not know the runtime runsc \(gVisor\).*`BERTH_RUNTIME=runsc npm start`/s);
});

test('a configuration that the engine does not take is left as it was', async () => {
  const mistaken = '{ "debug": "yes" }';
  await writeFile(engine.configurationFile, mistaken);
  await assert.rejects(tellOfGvisor(engine, 500), /did not take the runtime runsc.*as it was before/);
  assert.equal(await readFile(engine.configurationFile, 'utf8'), mistaken);
  await writeFile(engine.configurationFile, '{}');
});

test('an engine learns of gVisor while its containers run on, and only once', async () => {
  const container = await engine.docker.createContainer({ Image: bystander, Cmd: ['idle'] });
  await container.start();
  const state = async () => (await container.inspect()).State;
  const { Pid, StartedAt } = await state();
  await tellOfGvisor(engine);
  const reported = await readFile(engine.configurationFile, 'utf8');
  await tellOfGvisor(engine);
  assert.equal(await readFile(engine.configurationFile, 'utf8'), reported);
  const { Pid: laterPid, StartedAt: laterStart, Running } = await state();
  assert.deepEqual([laterPid, laterStart, Running], [Pid, StartedAt, true]);
  await container.remove({ force: true });
});

test("an application of PostgreSQL, Redis, nginx and Node runs with a kernel that is not the machine's", async () => {
  await berth.serve();
  const app = await berth.start(await readFile(join(import.meta.dirname, '../../examples/guestbook.yaml'), 'utf8'));
  await berth.reach(app, 'running');
  assert.match((await berth.visit(app.url)).text, /<title>Guestbook<\/title>/);
  const entries = `${app.url}/api/entries`;
  const signed = await berth.visit(entries, { method: 'POST', body: '{"name":"Ada","message":"Hello"}' });
  assert.equal(signed.status, 201);
  const read = [await berth.visit(entries), await berth.visit(entries)];
  assert.deepEqual(
    read.map(({ body, headers }) => [body.entries[0].name, headers['x-cache']]),
    [
      ['Ada', 'miss'],
      ['Ada', 'hit'],
    ],
  );

  const { id } = await berth.row(app);
  const filters = { label: [`${labelKeys.deployment}=${id}`] };
  const found = await engine.docker.listContainers({ filters });
  assert.equal(found.length, 4);
  for (const { Id, Image } of found) {
    const { HostConfig } = await engine.docker.getContainer(Id).inspect();
    assert.equal(HostConfig.Runtime, 'runsc', Image);
  }
  const api = found.find(({ Labels }) => Labels[labelKeys.pod] === 'api');
  const inside = engine.docker.getContainer(api!.Id);
  const { output: version } = await runInside(inside, ['cat', '/proc/version']);
  assert.match(version, /^Linux version \d/);
  assert.ok(!version.includes(release()), version);
  assert.match((await runInside(inside, ['dmesg'])).output, /Starting gVisor/);
  await berth.remove(app);
});

test('a container that takes more memory than its limit is reported, and does not hang', async () => {
  // gVisor runs processes in helpers of its own, and waits for ever for one that is killed in its stead.
  const hog = 'const all = []; setInterval(() => all.push(Buffer.alloc(1e7, 1)), 20)';
  const app = await berth.start(`
application:
  name: hungry
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      command: node -e "${hog}"
      resources: { limits: { memory: 96Mi } }
`);
  const status = await until('it is reported', async () => {
    const found = await berth.status(app);
    return /killed for memory/.test(found.message) ? found : undefined;
  });
  assert.match(status.message, /web.*killed for memory \(limit 96 MiB\)/);
});
