/** Runs on the host of an engine with gVisor: the contract, and tests of gVisor alone. */
import assert from 'node:assert/strict';
import { release } from 'node:os';
import { describe, test } from 'node:test';
import type { Workload } from '../../src/deployment/workload/workload.ts';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { runInside } from '../images/containers.ts';
import { until } from '../scenarios/berth.ts';
import { dockerContractor } from './docker-contractor.ts';
import { allFacets, engineContract, setStage } from './engine.ts';

const makeEngine = () => dockerContractor({ runtime: 'runsc' });

engineContract('docker with gVisor', makeEngine, allFacets.difference(new Set(['exec'])));

describe('docker engine with gVisor', () => {
  const { contractor, newScene } = setStage(makeEngine);
  const mebibytes = (count: number): Workload['resources'] => ({
    requests: {},
    limits: { memoryBytes: count * 2 ** 20 },
  });

  test('a container has a kernel that is not the one of the machine', async () => {
    const scene = newScene();
    const words = ['cat /proc/version', '/bin/busybox dmesg'].join('; ');
    const [version = '', firstMessage = ''] = await scene.output({
      ...scene.job('looker'),
      entrypoint: ['/bin/sh', '-c', words],
    });
    assert.match(version, /^Linux version \d/);
    assert.ok(!version.includes(release()), version);
    assert.match(firstMessage, /Starting gVisor/);
  });

  test('what a container has written is there when it runs again, but for /tmp', async () => {
    const scene = newScene();
    const word = 'echo x >>/www/log; echo x >>/tmp/log; cat /www/log /tmp/log; echo end';
    const job = { ...scene.job('writer'), entrypoint: ['/bin/sh', '-c', word] };
    assert.deepEqual(await scene.output(job), ['x', 'x', 'end']);
    const container = (await connectDocker()).getContainer(job.name);
    await container.start();
    await container.wait();
    assert.deepEqual((await scene.output(job)).slice(3), ['x', 'x', 'x', 'end']);
  });

  test('what is written to /tmp counts as memory', async () => {
    const scene = newScene();
    const fill = { ...scene.job('filler', 'fill', '/tmp/file', String(96 * 2 ** 20)), resources: mebibytes(64) };
    await scene.start(fill);
    const words = /^killed for memory \(limit 64 MiB\)/;
    await scene.until(fill, ({ notReadyBecause }) => words.test(notReadyBecause ?? ''));
  });

  test('any process that takes too much memory ends its container', async () => {
    const scene = newScene();
    const hungry = {
      ...scene.workload('hungry', { entrypoint: ['/bin/sh', '-c', 'tail /dev/zero; exec sleep 100000'] }),
      resources: mebibytes(48),
    };
    await scene.start(hungry);
    const words = /^killed for memory \(limit 48 MiB\)/;
    await scene.until(hungry, ({ notReadyBecause }) => words.test(notReadyBecause ?? ''));
  });

  test('a container may have 256 processes, as elsewhere; one with many more ends', async () => {
    const scene = newScene();
    const many = (count: number) => [
      '/bin/sh',
      '-c',
      `i=0; while [ $i -lt ${count} ]; do sleep 1000 & i=$((i+1)); done; echo $i`,
    ];
    const exitOf = async (pod: string, count: number) => {
      const job = { ...scene.job(pod), entrypoint: many(count) };
      await scene.start(job);
      return await until('it has ended', async () => (await scene.find(job))?.lastExit);
    };
    assert.match((await exitOf('some', 254)).reason, /code 0/);
    assert.doesNotMatch((await exitOf('bomb', 100_000)).reason, /code 0/);
  });

  test('a container cannot create a working device', async () => {
    const scene = newScene();
    // The order of lines from two streams is unknown.
    const words =
      'exec 2>&1; busybox mknod /tmp/mem c 1 1; busybox mknod /www/mem c 1 1; cat /tmp/mem /www/mem; echo $?';
    const said = await scene.output({ ...scene.job('maker'), entrypoint: ['/bin/sh', '-c', words] });
    assert.match(said.join('\n'), /mem: Operation not permitted\ncat: .*No such device or address\ncat: .*\n1$/);
  });

  test('deleted files that a container still holds open are measured', async () => {
    const scene = newScene();
    const bytes = 128 * 2 ** 20;
    const words = `until test -f /www/go; do sleep 0.1; done; exec 3>>/www/file; busybox rm /www/file; head -c ${bytes} /dev/zero >&3; sleep 1000`;
    const holder = scene.workload('holder', { entrypoint: ['/bin/sh', '-c', words], readiness: { kind: 'running' } });
    await scene.start(holder);
    await scene.ready(holder);
    const used = async () => {
      const uses = await contractor().engine.disk.use();
      return uses.find((use) => use.kind === 'workload' && use.name === holder.name)?.usedBytes ?? 0;
    };
    assert.ok((await used()) < 2 ** 20);
    const docker = await connectDocker();
    await runInside(docker.getContainer(holder.name), ['touch', '/www/go']);
    await until('it is reported', async () => (await used()) >= bytes);
  });
});
