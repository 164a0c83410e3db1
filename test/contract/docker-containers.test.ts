/** Behavior and faults that only Docker has. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type Docker from 'dockerode';
import type { Workload } from '../../src/deployment/workload/workload.ts';
import { hardening } from '../../src/engine/docker/containers/container.ts';
import { createDockerEngine } from '../../src/engine/docker/docker.ts';
import { bridgeName, networkName, volumeName } from '../../src/engine/docker/names.ts';
import { EngineFault } from '../../src/engine/engine.ts';
import { labelKeys, workloadLabels } from '../../src/engine/labels.ts';
import { claim } from '../claim.ts';
import { until } from '../scenarios/berth.ts';
import { dockerContractor } from './docker-contractor.ts';
import { setStage } from './engine.ts';
import { buildImage } from './image.ts';
import { decode, port } from './program.ts';
import { createScene, createVolume } from './scene.ts';

/** A pool for this run of this file only, because it checks which subnet is the lowest free one. */
const pool = await claimPool();
const networkPool = `${pool}.0/20`;

async function claimPool(): Promise<string> {
  for (let part = 0; part < 256; part += 16) if (await claim(`pool 10.207.${part}`)) return `10.207.${part}`;
  throw new Error('another program uses each pool');
}

describe('docker engine', () => {
  let docker: Docker;
  let owner: string;
  const { contractor, newScene } = setStage(async () => {
    const made = await dockerContractor({ pool: networkPool });
    ({ docker, owner } = made);
    return made;
  });

  test('containers are hardened', async () => {
    const scene = newScene();
    const web = scene.workload('web');
    await scene.start(web);
    const {
      HostConfig: host,
      Config: config,
      NetworkSettings: network,
    } = await docker.getContainer(web.name).inspect();
    assert.deepEqual(host.CapDrop, ['ALL']);
    assert.ok(!host.CapAdd.some((name: string) => /SYS|NET_ADMIN|NET_RAW|MKNOD|PTRACE/.test(name)));
    assert.deepEqual(host.SecurityOpt, hardening(process.arch === 'arm64' ? 'arm64' : 'amd64').SecurityOpt);
    assert.equal(host.Privileged, false);
    assert.equal(host.PidsLimit, 256);
    assert.equal(host.Memory, 512 * 2 ** 20);
    assert.equal(host.MemorySwap, host.Memory);
    assert.equal(host.NanoCpus, 1e9);
    assert.equal(host.IpcMode, 'private');
    assert.equal(host.Init, true);
    assert.deepEqual([host.Binds, host.PortBindings, host.VolumesFrom], [null, null, null]);
    assert.deepEqual(host.LogConfig, { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } });
    assert.equal(config.Hostname, 'web');
    assert.deepEqual(Object.keys(network.Networks), [networkName(scene.id)]);
  });

  test('the bridge carries our prefix, so that firewall rules know it', async () => {
    const scene = newScene();
    await scene.execute({ kind: 'create-network' });
    const { Options: options } = await docker.getNetwork(networkName(scene.id)).inspect();
    assert.equal(options?.['com.docker.network.bridge.name'], bridgeName(owner, scene.id));
  });

  test('networks made at once get different subnets, and leave foreign ones alone', async () => {
    const foreign = await docker.createNetwork({
      Name: `foreign-${owner}`,
      IPAM: { Config: [{ Subnet: `${pool}.64/26` }] } as Docker.IPAM,
    });
    try {
      const scenes = [newScene(), newScene(), newScene(), newScene()];
      await Promise.all(scenes.map((scene) => scene.execute({ kind: 'create-network' })));
      const networks = await Promise.all(scenes.map(({ id }) => docker.getNetwork(networkName(id)).inspect()));
      const subnets = networks.map(({ IPAM }) => IPAM?.Config?.[0]?.Subnet ?? '');
      assert.equal(new Set(subnets).size, 4);
      assert.ok(!subnets.includes(`${pool}.0/25`));
    } finally {
      await foreign.remove();
    }
  });

  test('a second installation with the same pool finds another subnet', async () => {
    const { engine, neighbour, image } = contractor();
    const scenes = [engine, neighbour].map((each) => createScene(each, image));
    await Promise.all(scenes.map((scene) => scene.execute({ kind: 'create-network' })));
    for (const scene of scenes) {
      assert.ok((await scene.observe()).hasNetwork);
      await scene.removeAll();
    }
  });

  test('a container that a crash left without files and not started is created again', async () => {
    const scene = newScene();
    const files = [{ path: '/etc/app/settings', content: 'complete' }];
    const job = { ...scene.job('reader', 'print-file', '/etc/app/settings'), files };
    await scene.execute({ kind: 'create-network' });
    await docker.createContainer({
      name: job.name,
      Image: job.image,
      Labels: workloadLabels(owner, scene.id, job),
      HostConfig: { NetworkMode: networkName(scene.id) },
    });
    assert.equal((await scene.find(job))?.phase, 'created');
    assert.equal(decode((await scene.output(job))[0]), 'complete');
  });

  test('directories of the image keep their mode, new ones can be entered by every user', async () => {
    const scene = newScene();
    const files = ['/tmp/one', '/new/dir/two'].map((path) => ({ path, content: '' }));
    const statTmp = { ...scene.job('tmp'), entrypoint: ['/bin/stat', '-c', '%a', '/tmp', '/new', '/new/dir'], files };
    assert.deepEqual(await scene.output(statTmp), ['1777', '755', '755']);
  });

  test('a file where the engine mounts something of its own is refused in words', async () => {
    const scene = newScene();
    const web = scene.workload('web', { files: [{ path: '/etc/../etc/hosts', content: '' }] });
    await assert.rejects(scene.start(web), (error) => {
      assert.deepEqual((error as EngineFault).pods, ['web']);
      return isFault(error, 'bad-request', /^no file can be put at/);
    });
  });

  test('a volume of the image below a mount keeps its data with the mount', async () => {
    const scene = newScene();
    const image = await buildImage(docker, { name: 'volume', changes: ['VOLUME /srv/db/data'] });
    const volumes = [{ volume: 'pg', mountPath: '/srv/db' }];
    await scene.execute({ kind: 'create-network' }, createVolume('pg'));
    const write = { ...scene.job('db', 'append', '/srv/db/data/file', 'kept'), image, volumes };
    await scene.output(write);
    await scene.execute({ kind: 'remove', name: write.name });
    assert.deepEqual(await scene.output(write), ['kept', 'kept']);
    assert.deepEqual((await scene.observe()).volumes, ['pg']);
    await scene.execute({ kind: 'remove', name: write.name }, { kind: 'remove-volume', volume: 'pg' });
    const { Volumes: left } = await docker.listVolumes({ filters: { name: [volumeName(scene.id, '')] } });
    assert.deepEqual(left, []);
  });

  test("the image's own health check decides where neither the configuration nor a port does", async () => {
    const scene = newScene();
    const image = await buildImage(docker, {
      name: 'health',
      changes: ['HEALTHCHECK --interval=1h CMD ["/bin/test","-e","/tmp/healthy"]'],
    });
    const worker: Partial<Workload> = { image, command: ['idle'], ports: [], readiness: { kind: 'running' } };
    const sick = scene.workload('sick', worker);
    const well = scene.workload('well', { ...worker, files: [{ path: '/tmp/healthy', content: '' }] });
    await scene.start(sick, well);
    await scene.ready(well);
    const because = /^the health check of its image has not succeeded yet/;
    const observed = await scene.until(sick, ({ notReadyBecause }) => because.test(notReadyBecause ?? ''));
    assert.equal(observed.isReady, false);
  });

  test('a restart keeps the address and is noticed', async () => {
    const scene = newScene();
    const web = scene.workload('web');
    const other = scene.workload('other');
    await scene.start(web, other);
    const before = await scene.ready(web);
    await scene.ready(other);
    await docker.getContainer(web.name).stop({ t: 0 });
    assert.equal((await scene.find(web))?.phase, 'exited');
    await scene.start(scene.workload('third'), web);
    assert.equal((await scene.ready(web)).address, before.address);
  });

  test('who is killed for memory says so, with the limit', async () => {
    const scene = newScene();
    const hungry = scene.workload('hungry', {
      command: ['eat-memory'],
      resources: { requests: {}, limits: { memoryBytes: 16 * 2 ** 20 } },
    });
    await scene.start(hungry);
    // The engine hears of the end and of its cause from two sides.
    const words = /^killed for memory \(limit 16 MiB\)/;
    await scene.until(hungry, ({ notReadyBecause }) => words.test(notReadyBecause ?? ''));
  });

  test('a container that has ended twice since the last look shows its second end', async () => {
    const scene = newScene();
    const once = 'test -f /tmp/once || { touch /tmp/once; exit 3; }';
    const twice = 'test -f /tmp/twice || { touch /tmp/twice; tail /dev/zero; exit 137; }';
    const web = scene.workload('web', {
      entrypoint: ['/bin/sh', '-c', `${once}; ${twice}; exec /bin/contract serve ${port}`],
      resources: { requests: {}, limits: { memoryBytes: 16 * 2 ** 20 } },
    });
    await scene.start(web);
    const first = await scene.until(web, ({ lastExit }) => lastExit !== undefined);
    assert.deepEqual([first.lastExit?.code, first.lastExit?.reason], [3, 'exited with code 3']);
    await until('it runs for the third time', async () => {
      const { State, RestartCount } = await docker.getContainer(web.name).inspect();
      return RestartCount === 2 && State.Status === 'running';
    });
    const { lastExit } = await scene.ready(web);
    assert.deepEqual([lastExit?.code, lastExit?.reason], [137, 'killed for memory (limit 16 MiB)']);
    assert.ok(lastExit!.at > first.lastExit!.at);
  });

  test('a program that listens on 127.0.0.1 only is reported', async () => {
    const scene = newScene();
    const web = scene.workload('web', { command: ['serve', `127.0.0.1:${port}`] });
    await scene.start(web);
    const observed = await scene.until(web, ({ stuck }) => stuck?.by === 'listening');
    assert.equal(observed.notReadyBecause, `listens on 127.0.0.1:${port} only`);
    assert.equal(observed.hint, `make it listen on 0.0.0.0:${port}`);
  });

  test('a command that does not exist says so', async () => {
    const scene = newScene();
    const web = scene.workload('web', { entrypoint: ['/no/such/program'] });
    await scene.start(web);
    const observed = await scene.until(web, ({ lastExit }) => lastExit !== undefined);
    assert.match(observed.notReadyBecause ?? '', /^exited with code 127, command not found/);
  });

  test('a pod that requests more processors than the machine has gets all of them', async () => {
    const scene = newScene();
    const big = scene.workload('big', { resources: { requests: { cpuMillis: 500 }, limits: { cpuMillis: 900_000 } } });
    await scene.start(big);
    await scene.ready(big);
  });

  test('a GPU that is not there is a fault in words', async () => {
    const scene = newScene();
    const start = scene.start(scene.workload('model', { useGPU: true }));
    await assert.rejects(start, (error) => isFault(error, 'bad-request', /^it requests a GPU/));
  });

  test('a GPU is one deployment’s, which gets that one and no other; the next deployment has to wait', async () => {
    const [scene, other] = [newScene(), newScene()];
    const model = scene.workload('model', { useGPU: true });
    await assert.rejects(scene.start(model));
    const { HostConfig } = await docker.getContainer(model.name).inspect();
    const wanted = HostConfig.DeviceRequests?.map(({ Count, DeviceIDs }) => ({ Count, DeviceIDs }));
    assert.deepEqual(wanted, [{ Count: 0, DeviceIDs: ['0'] }]);
    const second = other.start(other.workload('model', { useGPU: true }));
    await assert.rejects(second, (error) => isFault(error, 'unavailable', /^no GPU is free for it/));
    await assert.rejects(scene.start(model), (error) => isFault(error, 'bad-request', /^it requests a GPU/));
  });

  test('a container whose image has our label of a GPU has none', async () => {
    const [scene, other] = [newScene(), newScene()];
    const image = await buildImage(docker, { name: 'labelled', changes: [`LABEL ${labelKeys.gpu}=0`] });
    await scene.start(scene.workload('web', { image }));
    const model = other.start(other.workload('model', { useGPU: true }));
    await assert.rejects(model, (error) => isFault(error, 'bad-request', /^it requests a GPU/));
  });

  test('an image that is no longer there is pulled again, not given up', async () => {
    const scene = newScene();
    const start = scene.start(scene.workload('web', { image: 'berth-test-never:1' }));
    await assert.rejects(start, (error) => isFault(error, 'unavailable', /not on the host yet/));
  });

  test('a network with leftovers on it is removed', async () => {
    const scene = newScene();
    await scene.start(scene.workload('web'));
    await scene.execute({ kind: 'remove-network' });
    assert.equal((await scene.observe()).hasNetwork, false);
  });

  test('an engine that is away is a fault without its socket', async () => {
    const { default: Connection } = await import('dockerode');
    const away = new Connection({ socketPath: '/tmp/no-such-engine.sock' });
    const engine = createDockerEngine({ docker: away, owner, networkPool });
    await assert.rejects(engine.observe('x', []), (error) => {
      assert.ok(!/sock|tmp/.test((error as Error).message));
      return isFault(error, 'unavailable', /does not respond/);
    });
  });
});

function isFault(error: unknown, kind: EngineFault['kind'], words: RegExp): boolean {
  assert.ok(error instanceof EngineFault, String(error));
  assert.equal(error.kind, kind, error.message);
  assert.match(error.message, words);
  return true;
}
