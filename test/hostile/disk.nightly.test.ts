/**
 * Attempts to fill the host's disk from inside, each by a deployment of its own, all at once next to a deployment that
 * serves. Limited directories keep their limit, a pod that fills an unlimited one is stopped, and the neighbor is not
 * affected.
 */
import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type Docker from 'dockerode';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { volumesFolder } from '../../src/engine/docker/volumes/loop-layout.ts';
import { labelKeys } from '../../src/engine/labels.ts';
import { buildImage } from '../contract/image.ts';
import { shellYaml, tinyYaml } from '../scenarios/applications.ts';
import { type Berth, createBerth, type Started, until } from '../scenarios/berth.ts';

const mebibyte = 2 ** 20;
/** The limit of a container, and the size of the attackers' volumes. */
const [containerBytes, volumeBytes] = [40 * mebibyte, 16 * mebibyte];

/** In the shell of a container, as root, with an empty volume at /data and a volume of the image at /cache. */
const attacks = {
  // Bounded where they are.
  'a volume, to its last byte': 'busybox dd if=/dev/zero of=/data/file bs=1M',
  'a volume, by reserving a terabyte':
    'busybox fallocate -l 1099511627776 /data/file; busybox dd if=/dev/zero of=/data/more bs=1M',
  'a volume, by empty files': 'cd /data; busybox seq 1 40000 | busybox xargs touch',
  'a volume, with a file that is deleted and open':
    'exec 3>/data/file; busybox rm /data/file; busybox dd if=/dev/zero bs=1M >&3',
  'shared memory': 'busybox dd if=/dev/zero of=/dev/shm/file bs=1M',
  'the directory of devices': 'busybox dd if=/dev/zero of=/dev/file bs=1M',
  'the log': 'busybox yes 0123456789012345678901234567890123456789 | busybox head -c 150000000',
  'a file with holes of a terabyte': 'busybox truncate -s 1T /tmp/file; busybox truncate -s 1T /data/file',
  // Stopped.
  'the layer': 'busybox dd if=/dev/zero of=/tmp/file bs=1M count=200; sleep 1000',
  'the layer, by reserving': 'busybox fallocate -l 209715200 /tmp/file; sleep 1000',
  'the layer, by empty files': 'busybox mkdir /x; cd /x; busybox seq 1 30000 | busybox xargs touch; sleep 1000',
  'the layer, with a file that is deleted and open':
    'exec 3>/tmp/file; busybox rm /tmp/file; busybox dd if=/dev/zero bs=1M count=300 >&3; sleep 1000',
  'a file that the engine mounts': 'busybox dd if=/dev/zero of=/etc/hosts bs=1M count=200; sleep 1000',
  'a volume that the image declares': 'busybox dd if=/dev/zero of=/cache/file bs=1M count=200; sleep 1000',
};

type Attack = keyof typeof attacks;

const isRoot = process.getuid?.() === 0;

describe('the disk', { skip: isRoot ? false : 'file systems can be made by root alone' }, () => {
  let berth: Berth;
  let docker: Docker;
  let neighbour: Started;
  const attackers = new Map<Attack, Started & { id: string }>();

  before(async () => {
    docker = await connectDocker();
    const image = await buildImage(docker, { name: 'cache', changes: ['VOLUME /cache'] });
    // Where it cannot bound volumes, one of the attacks would really take the machine's disk: it must not serve then.
    berth = await createBerth({ BERTH_CONTAINER_DISK: String(containerBytes), BERTH_DISK_LIMITS: 'loop' });
    await berth.serve();
    neighbour = await berth.start(tinyYaml('neighbour', image, 'undisturbed'));
    await berth.reach(neighbour, 'running');
    for (const attack of Object.keys(attacks) as Attack[]) {
      const started = await berth.start(attackerYaml(image, attacks[attack]));
      attackers.set(attack, { ...started, id: (await berth.row(started)).id });
    }
  });
  after(async () => await berth?.destroy());

  const attacker = (attack: Attack) => attackers.get(attack)!;

  for (const attack of ['a volume, to its last byte', 'a volume, by reserving a terabyte'] as const) {
    test(`${attack}: it is full, its owner is notified, and the host has only lost its size`, async () => {
      await berth.eventsUntil(attacker(attack), /^volume data of pod web is full \(16 MiB\): make it larger or delete/);
      assert.ok((await bytesOfImage(attack)) < volumeBytes * 1.5, `${await bytesOfImage(attack)} bytes`);
    });
  }

  test('a volume, by empty files: it is full when it has no place for more of them', async () => {
    await berth.eventsUntil(attacker('a volume, by empty files'), /^volume data of pod web is full/);
    assert.ok((await bytesOfImage('a volume, by empty files')) < volumeBytes * 1.5);
  });

  test('a volume, with a file that is deleted and open: it counts', async () => {
    const attack = 'a volume, with a file that is deleted and open';
    await berth.eventsUntil(attacker(attack), /^volume data of pod web is full/);
    assert.ok((await bytesOfImage(attack)) < volumeBytes * 1.5);
  });

  for (const attack of ['shared memory', 'the directory of devices'] as const) {
    test(`${attack}: it is small, and memory`, async () => {
      const said = await until(`${attack} has no more room`, async () => {
        const text = await outputOf(attack);
        return /records out/.test(text) ? text : undefined;
      });
      const [, written] = /(\d+)\+\d+ records out/.exec(said) ?? [];
      assert.match(said, /No space left on device/);
      assert.ok(Number(written) <= 64, `MiB: ${said}`);
    });
  }

  test('the log: only its last 30 MB are kept', async () => {
    await until('all is written', async () => /the attack is over/.test(await outputOf('the log')) || undefined);
    const { LogPath } = await docker.getContainer(await containerOf('the log')).inspect();
    const folder = join(LogPath, '..');
    const logs = (await readdir(folder)).filter((name) => name.includes('-json.log'));
    const sizes = await Promise.all(logs.map(async (name) => (await stat(join(folder, name))).size));
    assert.ok(logs.length <= 3 && sizes.every((size) => size < 11e6), JSON.stringify(sizes));
  });

  test('a file with holes takes no space, and no workload is stopped for it', async () => {
    await until(
      'it serves',
      async () => (await berth.status(attacker('a file with holes of a terabyte'))).state === 'running' || undefined,
    );
    assert.ok((await bytesOfImage('a file with holes of a terabyte')) < 4 * mebibyte);
  });

  const stopped = [
    'the layer',
    'the layer, by reserving',
    'the layer, by empty files',
    'the layer, with a file that is deleted and open',
    'a file that the engine mounts',
    'a volume that the image declares',
  ] as const;
  for (const attack of stopped) {
    test(`${attack}: it is stopped, and after the third time its deployment has failed in words`, async () => {
      const words = /had written [\d.]+ \wiB outside its volumes; the limit is 40 MiB/;
      const reported = await berth.eventsUntil(attacker(attack), /^failed: /);
      const stops = reported.filter(({ kind, message }) => kind === 'disk' && words.test(message));
      assert.equal(
        stops.reduce((sum, { count }) => sum + count, 0),
        3,
      );
      const { state, message } = await berth.status(attacker(attack));
      assert.equal(state, 'failed', JSON.stringify(reported));
      assert.match(message, words);
      assert.match(message, /^pod web: was stopped 3 times within an hour/);
      await until('it is removed completely', async () => !(await containerOf(attack).catch(() => undefined)));
    });
  }

  test('the neighbour serves, was never notified or stopped, and no other deployment was hurt', async () => {
    const events = await berth.eventsUntil(neighbour, /is running/);
    assert.deepEqual(
      events.filter(({ kind }) => kind === 'disk'),
      [],
    );
    assert.equal((await berth.status(neighbour)).state, 'running');
    const answer = await berth.visit(`${neighbour.url}/cgi-bin/identity`);
    assert.equal(answer.text, 'undisturbed\n');
    for (const attack of Object.keys(attacks) as Attack[]) {
      if ((stopped as readonly Attack[]).includes(attack)) continue;
      const events = await berth.eventsUntil(attacker(attack), /is running/);
      assert.ok(!events.some(({ message }) => /is stopped/.test(message)), attack);
    }
    const metrics = (await berth.get('/metrics')).text.split('\n');
    assert.ok(metrics.includes('berth_disk_means{of="volumes",means="loop"} 1'));
    assert.ok(metrics.includes(`berth_evictions_total ${stopped.length * 3}`));
  });

  async function containerOf(attack: Attack): Promise<string> {
    const label = [`${labelKeys.deployment}=${attacker(attack).id}`];
    const [found] = await docker.listContainers({ all: true, filters: { label } });
    assert.ok(found, `${attack} has a container`);
    return found.Id;
  }

  async function outputOf(attack: Attack): Promise<string> {
    const { sessionToken, applicationName } = attacker(attack);
    const query = new URLSearchParams({ applicationName, pod: 'web', tail: '20' });
    const { text } = await berth.get(`/getDeploymentLogs?${query}`, { authorization: `Bearer ${sessionToken}` });
    return text;
  }

  /** The space of its volume on the host's disk. */
  async function bytesOfImage(attack: Attack): Promise<number> {
    const image = join(volumesFolder(berth.settings.dataDir), attacker(attack).id, 'web-data', 'image');
    return (await stat(image)).blocks * 512;
  }
});

/** It attacks and serves, so that only the attack can be the reason for a stop. */
function attackerYaml(image: string, attack: string): string {
  const script = `busybox httpd -p 8080 -h /www; ${attack}; echo the attack is over; exec sleep 100000`;
  return shellYaml('attacker', image, script, ['{ name: data, size: 16Mi, mountPath: /data }']);
}
