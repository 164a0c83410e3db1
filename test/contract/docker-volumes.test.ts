/** Volumes with file systems of their own, through all faults of a host. Needs root. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import { bindTo } from '../../src/engine/docker/containers/mounts.ts';
import { createDockerEngine } from '../../src/engine/docker/docker.ts';
import { volumeName } from '../../src/engine/docker/names.ts';
import { findDiskMeans } from '../../src/engine/docker/open.ts';
import { isOwnedBy } from '../../src/engine/labels.ts';
import { until } from '../scenarios/berth.ts';
import { dockerContractor, limitsVolumes, networkPool } from './docker-contractor.ts';
import { setStage } from './engine.ts';
import { buildImage } from './image.ts';
import { createScene, createVolume, type Scene } from './scene.ts';

const run = promisify(execFile);
const volumes = [{ volume: 'data', mountPath: '/srv' }];
const needsRoot = { skip: limitsVolumes ? false : 'file systems can be made by root alone' };

describe('volumes on docker', needsRoot, () => {
  let docker: Docker;
  let owner: string;
  let folder: string;
  const { contractor, newScene } = setStage(async () => {
    const made = await dockerContractor();
    ({ docker, owner, volumesFolder: folder } = made);
    return made;
  });
  const place = (scene: Scene, ...path: string[]) => join(folder, scene.id, 'data', ...path);

  async function mountsBelow(scene: Scene): Promise<string[]> {
    const table = await readFile('/proc/self/mountinfo', 'utf8');
    return table.split('\n').filter((line) => line.includes(`/${scene.id}/`));
  }

  /** Writes a line to a file of the volume and answers what the file holds then. */
  function append(scene: Scene, pod: string, line: string) {
    return scene.output({ ...scene.job(pod, 'append', '/srv/log', line), volumes });
  }

  test('a volume contains no devices and no files that grant another user’s rights', async () => {
    const scene = newScene();
    await scene.execute({ kind: 'create-network' }, createVolume('data'));
    const [options] = await scene.output({
      ...scene.job('looker'),
      entrypoint: ['/bin/busybox', 'sh', '-c', 'busybox grep " /srv " /proc/mounts'],
      volumes,
    });
    assert.match(options ?? '', / \/srv ext4 rw,nosuid,nodev,/);
  });

  test('after a reboot nothing starts on an empty directory, and the next start mounts the volume again', async () => {
    const scene = newScene();
    await scene.execute({ kind: 'create-network' }, createVolume('data'));
    await append(scene, 'writer', 'kept');
    const web = scene.workload('web', { volumes });
    await scene.start(web);
    await scene.ready(web);
    const container = docker.getContainer(web.name);
    await container.stop({ t: 0 });
    await run('umount', [place(scene, 'mount')]);
    await assert.rejects(container.start(), /no such file or directory/);
    assert.deepEqual((await scene.observe()).volumes, ['data']);
    await scene.start(web);
    await scene.ready(web);
    assert.deepEqual(await append(scene, 'reader', 'more'), ['kept', 'more']);
  });

  test('a volume that the kernel has stopped writing to is repaired with its data, and its users are restarted', async () => {
    const scene = newScene();
    await scene.execute({ kind: 'create-network' }, createVolume('data'));
    await append(scene, 'writer', 'kept');
    // Data that has not reached the disk is lost. A program that called fsync got an error.
    await run('sync', ['--file-system', place(scene, 'mount')]);
    const web = scene.workload('web', { volumes });
    await scene.start(web);
    await scene.ready(web);
    const { engine } = contractor();
    const mended = async () =>
      (await engine.disk.mendVolumes()).filter(({ deploymentId }) => deploymentId === scene.id);
    assert.deepEqual(await mended(), []);

    // As if the host could not store the writes: the kernel has a trigger for that.
    const { stdout: device } = await run('findmnt', ['--noheadings', '--output', 'SOURCE', place(scene, 'mount')]);
    await writeFile(`/sys/fs/ext4/${basename(device.trim())}/trigger_fs_error`, 'as if the disk were full');
    await assert.rejects(writeFile(place(scene, 'mount', 'data', 'more'), 'more'), { code: 'EROFS' });
    const { State: before } = await docker.getContainer(web.name).inspect();
    const [use] = (await engine.disk.use()).filter(({ deploymentId }) => deploymentId === scene.id);
    assert.ok(use?.kind === 'volume' && use.isStopped);

    assert.deepEqual(await mended(), [{ deploymentId: scene.id, volume: 'data' }]);
    assert.notEqual((await docker.getContainer(web.name).inspect()).State.StartedAt, before.StartedAt);
    await scene.ready(web);
    assert.deepEqual(await append(scene, 'reader', 'more'), ['kept', 'more']);
    assert.deepEqual(await mended(), []);
  });

  test('a volume from before, without a limit, keeps its data and works on; what is in it is seen', async () => {
    const before = createDockerEngine({ docker, owner, networkPool, stopSeconds: 1 });
    const scene = newScene();
    const old = createScene(before, contractor().image);
    await before.execute(scene.id, { ...createVolume('data'), because: 'it was so' });
    await scene.execute({ kind: 'create-network' }, createVolume('data', 16 * 2 ** 20));
    assert.deepEqual(await append(scene, 'one', 'kept'), ['kept']);
    assert.deepEqual(await append(scene, 'two', 'more'), ['kept', 'more']);
    await scene.output({ ...scene.job('filler', 'fill', '/srv/large', String(5 * 2 ** 20)), volumes });
    assert.equal((await scene.observe()).volumeSizes, undefined);
    const [use] = (await contractor().engine.disk.use()).filter(({ deploymentId }) => deploymentId === scene.id);
    assert.ok(use?.kind === 'volume' && use.fullShare === undefined);
    assert.ok(use.usedBytes >= 5 * 2 ** 20 && use.usedBytes < 6 * 2 ** 20, String(use.usedBytes));
    await old.removeAll();
  });

  test('what a crash has left half made is completed, and nothing in it is lost', async () => {
    const scene = newScene();
    // A volume of Docker's without a file system, and a draft of one; as killed before the file system had its name.
    await scene.execute({ kind: 'create-network' }, createVolume('data'));
    await run('umount', [place(scene, 'mount')]);
    for (const name of ['image', 'size']) await run('rm', [place(scene, name)]);
    await writeFile(place(scene, 'image.draft'), 'half');
    assert.deepEqual((await scene.observe()).volumeSizes, { data: 0 });
    await scene.execute({ ...createVolume('data'), kind: 'grow-volume' });
    assert.deepEqual(await append(scene, 'one', 'kept'), ['kept']);
    // Killed before the size was written down.
    await run('rm', [place(scene, 'size')]);
    assert.deepEqual((await scene.observe()).volumeSizes, { data: 0 });
    await scene.execute({ ...createVolume('data'), kind: 'grow-volume' });
    assert.deepEqual(await append(scene, 'two', 'more'), ['kept', 'more']);
    assert.deepEqual((await scene.observe()).volumeSizes, { data: 12 * 2 ** 20 });
  });

  test('a file system that Docker has forgotten is listed as ours and can be removed, with its mount', async () => {
    const scene = newScene();
    await scene.execute(createVolume('data'));
    await docker.getVolume(volumeName(scene.id, 'data')).remove();
    const { volumes, volumeSizes } = await scene.observe();
    assert.deepEqual([volumes, volumeSizes], [['data'], { data: 12 * 2 ** 20 }]);
    const left = (await contractor().engine.listOwned()).filter(({ deploymentId }) => deploymentId === scene.id);
    assert.deepEqual(
      left.map(({ kind, name, volume }) => `${kind} ${name} ${volume}`),
      [`volume ${volumeName(scene.id, 'data')} data`],
    );
    assert.deepEqual(await contractor().neighbour.listOwned(), []);
    for (const one of [...left, ...left]) await contractor().engine.removeOwned(one);
    assert.deepEqual(await mountsBelow(scene), []);
    assert.ok(!(await readdir(folder)).includes(scene.id));
  });

  test('a volume that Docker has forgotten while its application is there keeps its data', async () => {
    const scene = newScene();
    await scene.execute({ kind: 'create-network' }, createVolume('data'));
    const writer = { ...scene.job('writer', 'append', '/srv/log', 'kept'), volumes };
    await scene.output(writer);
    await scene.execute({ kind: 'remove', name: writer.name });
    await docker.getVolume(volumeName(scene.id, 'data')).remove();
    assert.deepEqual(await append(scene, 'reader', 'more'), ['kept', 'more']);
    await scene.execute({ kind: 'remove', name: scene.job('reader').name });
    await docker.getVolume(volumeName(scene.id, 'data')).remove();
    await scene.execute(createVolume('data'));
    assert.deepEqual(await append(scene, 'third', 'most'), ['kept', 'more', 'most']);
  });

  test('removal leaves no file, no mount and no loop device, even while another process looks into the volume', async () => {
    const scene = newScene();
    await scene.execute({ kind: 'create-network' }, createVolume('data'));
    const image = place(scene, 'image');
    // A shell of the operator's that stands in it: no file system can be unmounted then.
    const shell = execFile('sleep', ['1000'], { cwd: place(scene, 'mount') });
    try {
      await scene.execute({ kind: 'remove-volume', volume: 'data' });
      assert.deepEqual(await mountsBelow(scene), []);
      await assert.rejects(stat(image), { code: 'ENOENT' });
    } finally {
      const exited = new Promise((resolve) => shell.once('exit', resolve));
      shell.kill();
      await exited;
    }
    // The kernel releases it with a delay, once no process uses it.
    await until('the loop device is gone', async () => {
      const { stdout } = await run('losetup', ['--list', '--noheadings', '--output', 'BACK-FILE']);
      return !stdout.includes(scene.id);
    });
  });

  test('what an image declares as a volume below a mount shares its limit', async () => {
    const scene = newScene();
    const image = await buildImage(docker, { name: 'volume', changes: ['VOLUME /srv/db/data'] });
    await scene.execute({ kind: 'create-network' }, createVolume('data'));
    const job = scene.job('filler', 'fill', '/srv/db/data/file', String(64 * 2 ** 20));
    const [size] = await scene.output({ ...job, image, volumes: [{ volume: 'data', mountPath: '/srv/db' }] });
    assert.ok(Number(size) < 16 * 2 ** 20, `${size} bytes`);
    const own = (await docker.listVolumes()).Volumes.filter(({ Labels }) => isOwnedBy(owner, Labels));
    assert.equal(own.filter(({ Name }) => Name.includes(scene.id)).length, 2);
  });

  test('a volume that an ending engine has left without labels, bound to a directory of ours, is made ours', async () => {
    const scene = newScene();
    const name = volumeName(scene.id, 'data');
    await docker.createVolume({ Name: name, DriverOpts: bindTo(place(scene, 'mount', 'data')) });
    await scene.execute(createVolume('data'));
    assert.ok(isOwnedBy(owner, (await docker.getVolume(name).inspect()).Labels));
    assert.deepEqual((await scene.observe()).volumes, ['data']);
  });

  test('a volume that an ending engine has left without labels, options and content is made ours', async () => {
    const scene = newScene();
    const name = volumeName(scene.id, 'data');
    await docker.createVolume({ Name: name });
    await scene.execute(createVolume('data'));
    const { Labels, Options } = await docker.getVolume(name).inspect();
    assert.ok(isOwnedBy(owner, Labels));
    assert.equal(Options?.device, place(scene, 'mount', 'data'));
  });

  test('installations that try at once what the host has do not disturb one another, and leave nothing', async () => {
    const all = Array.from({ length: 6 }, (_, number) => ({
      owner: `${owner}-${number}`,
      directory: `${folder}-${number}`,
    }));
    try {
      const found = await Promise.all(all.map((each) => findDiskMeans(docker, { ...each, limits: 'auto' })));
      assert.deepEqual(
        found,
        all.map(() => ({ volumes: 'loop', containers: 'watch' })),
      );
      for (const { directory } of all) assert.deepEqual(await readdir(directory), []);
    } finally {
      for (const { directory } of all) await rm(directory, { recursive: true, force: true });
    }
  });

  test('a foreign volume with the name of ours is left alone', async () => {
    const scene = newScene();
    const name = volumeName(scene.id, 'data');
    const { Mountpoint: directory } = await (await docker.createVolume({ Name: name })).inspect();
    await writeFile(join(directory, 'theirs'), 'theirs');
    try {
      await assert.rejects(scene.execute(createVolume('data')), /does not belong to this installation/);
      await mkdir(folder, { recursive: true });
      assert.ok(!(await readdir(folder)).includes(scene.id));
    } finally {
      await docker.getVolume(name).remove();
    }
  });
});
