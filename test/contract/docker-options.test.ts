/** Container options of a configuration, on Docker: they apply, and do not weaken the isolation. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type Docker from 'dockerode';
import type { ContainerOptions } from '../../src/config/spec/spec.ts';
import { dockerContractor } from './docker-contractor.ts';
import { setStage } from './engine.ts';
import { buildImage } from './image.ts';
import type { Scene } from './scene.ts';

const mebibyte = 2 ** 20;

const all: ContainerOptions = {
  shmBytes: 8 * mebibyte,
  tmpfs: [{ mountPath: '/scratch', sizeBytes: 4 * mebibyte, mode: '700', user: 1000, isExecutable: true }],
  readOnly: true,
  stopSignal: 'SIGINT',
  stopGraceSeconds: 3,
  ulimits: { nofile: { soft: 100, hard: 200 }, core: { soft: 0, hard: 0 } },
  groups: ['0', '4711'],
  extraHosts: { 'api.example.com': '8.8.8.8', own: '127.0.0.1' },
  sysctls: { 'net.core.somaxconn': '77' },
};

describe('the container options of a configuration', () => {
  let docker: Docker;
  const { newScene } = setStage(async () => {
    const made = await dockerContractor();
    ({ docker } = made);
    return made;
  });
  const say = (scene: Scene, script: string, container: ContainerOptions, more: object = {}) =>
    scene.output({ ...scene.job('job'), entrypoint: ['/bin/sh', '-c', script], container, ...more });

  test('is there: memory, directories, limits, groups, names and settings', async () => {
    const scene = newScene();
    const script = [
      'mount | grep -E " /(dev/shm|scratch|tmp) " | sed "s/.* on \\(\\S*\\) .*size=\\([0-9]*k\\).*/\\1 \\2/" | sort',
      'stat -c "%a %u" /scratch /tmp',
      'ulimit -n; ulimit -Hn',
      'id -G',
      'grep -E "api.example.com|own" /etc/hosts | tr "\\t" " "',
      'cat /proc/sys/net/core/somaxconn /proc/sys/net/ipv4/ip_unprivileged_port_start',
    ];
    const lines = await say(scene, script.join('; '), all, { user: '1000' });
    assert.deepEqual(lines, [
      ...['/dev/shm 8192k', '/scratch 4096k', '/tmp 262144k'],
      ...['700 1000', '1777 0'],
      ...['100', '200'],
      '1000 0 4711',
      ...['8.8.8.8 api.example.com', '127.0.0.1 own'],
      ...['77', '0'],
    ]);
  });

  test("and the isolation stays the same: capabilities, calls, privileges, the machine's files", async () => {
    const scene = newScene();
    const script = [
      "grep -E '^(CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr -s '\\t\\n' ' '",
      'echo',
      'cp /bin/busybox /scratch/busybox && chmod 4755 /scratch/busybox; mount | grep " /scratch " | grep -o "nosuid,nodev"',
      'mknod /scratch/disk b 254 0 2>&1 | grep -o "not permitted"',
      '(echo 1 > /proc/sys/net/core/somaxconn) 2>/dev/null || echo unchanged',
      '(echo x > /etc/passwd) 2>/dev/null || echo unchanged',
      'ulimit -n 5000 2>/dev/null || echo bounded',
    ];
    const lines = await say(scene, script.map((line) => `${line} 2>/dev/null`).join('; '), all);
    assert.match(lines[0]!, /^CapBnd: 0{13}4eb NoNewPrivs: 1 Seccomp: 2 ?$/);
    assert.deepEqual(lines.slice(1), ['nosuid,nodev', 'not permitted', 'unchanged', 'unchanged', 'bounded']);
  });

  test('what lies in memory counts as memory: who fills more than he has is killed for it', async () => {
    const scene = newScene();
    const resources = { requests: {}, limits: { memoryBytes: 16 * mebibyte } };
    const tmpfs = [{ mountPath: '/scratch', sizeBytes: 16 * mebibyte }];
    const script = 'head -c 16000000 /dev/zero > /scratch/a; head -c 16000000 /dev/zero > /dev/shm/b; echo complete';
    const job = { ...scene.job('job'), entrypoint: ['/bin/sh', '-c', script], resources };
    const filling = { ...job, container: { tmpfs, shmBytes: 16 * mebibyte } };
    await scene.start(filling);
    const observed = await scene.until(filling, ({ lastExit }) => lastExit !== undefined);
    assert.equal(observed.isReady, false);
  });

  test('a directory in memory takes the place of a volume that the image declares', async () => {
    const scene = newScene();
    const image = await buildImage(docker, { name: 'volume-in-memory', changes: ['VOLUME /srv/db'] });
    const lines = await say(
      scene,
      'mount | grep -c "tmpfs on /srv/db "',
      { tmpfs: [{ mountPath: '/srv/db' }] },
      { image },
    );
    assert.deepEqual(lines, ['1']);
  });

  test("the signal of the stop arrives, and the time for it is the pod's own", async () => {
    const scene = newScene();
    const script = 'trap "sleep 2; echo stopped > /srv/said; exit" INT; trap "" TERM; while :; do sleep 0.1; done';
    const volumes = [{ volume: 'data', mountPath: '/srv' }];
    const worker = scene.workload('worker', {
      entrypoint: ['/bin/sh', '-c', script],
      ports: [],
      readiness: { kind: 'running' },
      volumes,
      container: { stopSignal: 'SIGINT', stopGraceSeconds: 30 },
    });
    await scene.execute(
      { kind: 'create-network' },
      { kind: 'create-volume', volume: 'data', sizeBytes: 12 * mebibyte },
    );
    await scene.start(worker);
    await scene.ready(worker);
    await scene.execute({ kind: 'remove', name: worker.name });
    const reader = { ...scene.job('reader'), entrypoint: ['/bin/cat', '/srv/said'], volumes };
    assert.deepEqual(await scene.output(reader), ['stopped']);
  });
});
