/** Hostile files in a volume, and the part of them that leaves the machine. Needs root. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { nestedVolumeName } from '../../src/engine/docker/names.ts';
import { createLoopVolumes, type LoopVolumes } from '../../src/engine/docker/volumes/loop-volumes.ts';
import {
  createVolumeArchives,
  type Packing,
  packedSize,
  removeOrphanedCopies,
  stopPacking,
} from '../../src/engine/docker/volumes/volume-archives.ts';
import { clearFolder } from '../../src/engine/docker/volumes/volume-copies.ts';
import { nestedVolumeLabels } from '../../src/engine/labels.ts';
import type { VolumeArchives } from '../../src/engine/volume-facets.ts';
import { newId } from '../../src/lib/ids.ts';
import { runProgram } from '../../src/lib/run-program.ts';
import { unpacked } from './archives.ts';

const run = promisify(execFile);
const needsRoot = { skip: process.getuid?.() === 0 ? false : 'file systems can be made by root alone' };
const sizeBytes = 32 * 2 ** 20;
const which = { deploymentId: 'shop', volume: 'data' };

describe('archives of a hostile volume', needsRoot, () => {
  let folder: string;
  let directory: string;
  let loops: LoopVolumes;
  let archives: VolumeArchives;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-hostile-'));
    directory = join(folder, 'volumes');
    loops = createLoopVolumes(directory);
    archives = createVolumeArchives(new Docker(), { owner: 'nobody', loops, directory, diskFreeBytes: 0 });
    await loops.ensure(which, sizeBytes);
  });
  afterEach(() => clearFolder(folder));

  test('links stay links, and lead out of nothing; sockets, pipes and devices stay behind', async () => {
    const data = loops.dataOf(which);
    await writeFile(join(folder, 'secret'), 'of the host');
    await symlink(join(folder, 'secret'), join(data, 'out'));
    await symlink('../../../../../../etc', join(data, 'up'));
    await run('mkfifo', [join(data, 'pipe')]);
    await run('mknod', [join(data, 'disk'), 'b', '7', '0']);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(data, 's'), resolve));
    await mkdir(join(data, '--checkpoint-action=exec=false'));
    await writeFile(join(data, 'line\nbreak "quoted" -x'), 'odd');
    await using copy = await archives.take('shop', ['data']);
    server.close();
    const found = await unpacked(copy.archives[0]!);
    const names = [...found.keys()].sort();
    assert.deepEqual(names, ['', '--checkpoint-action=exec=false', 'line\nbreak "quoted" -x', 'out', 'up']);
    assert.equal(found.get('out')!.header.type, 'symlink');
    assert.ok([...found.values()].every(({ content }) => !content.includes('of the host')));
  });

  test('a file of 1 TB with nothing in it takes next to nothing', async () => {
    const file = join(loops.dataOf(which), 'huge');
    await writeFile(file, 'begin');
    await truncate(file, 2 ** 40);
    await using copy = await archives.take('shop', ['data']);
    const [archive] = copy.archives;
    assert.ok(archive!.sizeBytes < 2 ** 20, String(archive!.sizeBytes));
    let bytes = 0;
    for await (const piece of archive!.read(new AbortController().signal)) bytes += (piece as Uint8Array).length;
    assert.equal(bytes, archive!.sizeBytes);
  });

  test('a reader that stops leaves no program and no file system behind', async () => {
    await writeFile(join(loops.dataOf(which), 'large'), Buffer.alloc(16 * 2 ** 20, 'x'));
    const copy = await archives.take('shop', ['data']);
    const [archive] = copy.archives;
    for await (const _ of archive!.read(new AbortController().signal)) break;
    // A client that has begun, and stops reading.
    const left = archive!.read(new AbortController().signal).on('error', () => {});
    left.read(0);
    await copy[Symbol.asyncDispose]();
    assert.deepEqual(await readdir(folder), ['volumes']);
    assert.doesNotMatch(await readFile('/proc/self/mountinfo', 'utf8'), new RegExp(`${folder}/exports`));
  });

  test('a client that disconnects during the copy ends it, and nothing is left', async () => {
    const leaving = new AbortController();
    const left: LoopVolumes = {
      ...loops,
      async ensure(...requested) {
        await loops.ensure(...requested);
        leaving.abort();
      },
    };
    const options = { owner: 'nobody', loops: left, directory, diskFreeBytes: 0 };
    await assert.rejects(createVolumeArchives(new Docker(), options).take('shop', ['data'], leaving.signal));
    assert.deepEqual(await readdir(folder), ['volumes']);
    // One that waits for its turn has none.
    await assert.rejects(archives.take('shop', ['data'], AbortSignal.abort()));
    assert.deepEqual(await readdir(folder), ['volumes']);
  });

  test('a program that copies or counts ends with the abort', async () => {
    const copying = new AbortController();
    const sleeping = runProgram(['sleep', '2000'], { signal: copying.signal });
    copying.abort();
    await assert.rejects(sleeping);
    const counting = new AbortController();
    const packing: Packing = new Set();
    const counted = packedSize(loops.dataOf(which), packing, counting.signal);
    counting.abort();
    await assert.rejects(counted);
    await stopPacking(packing);
  });

  test('nested volumes are archived without any container, and one with an unknown path is marked as such', async (t) => {
    const docker = new Docker();
    const deploymentId = newId();
    const stopped = { deploymentId, volume: 'data' };
    await loops.ensure(stopped, sizeBytes);
    for (const slug of ['pgdata', 'var.lib', 'odd_name']) {
      const path = await loops.ensureNested(stopped, slug);
      await writeFile(join(path, 'row'), slug);
    }
    const created = await docker.createVolume({
      Name: nestedVolumeName(deploymentId, 'data', 'var/lib'),
      Labels: nestedVolumeLabels('nobody', deploymentId, 'data', 'var/lib'),
    });
    t.after(() => created.remove());
    await using copy = await archives.take(deploymentId, ['data']);
    assert.deepEqual(
      copy.archives.map(({ below, isUnplaced = false }) => [below, isUnplaced]),
      [
        ['', false],
        ['odd_name', true],
        ['pgdata', false],
        ['var/lib', false],
      ],
    );
    const rows = await Promise.all(
      copy.archives.slice(1).map(async (one) => (await unpacked(one)).get('row')?.content),
    );
    assert.deepEqual(rows, ['odd_name', 'pgdata', 'var.lib']);
  });

  test('without room for it, it says so', async () => {
    const full = createVolumeArchives(new Docker(), { owner: 'nobody', loops, directory, diskFreeBytes: 2 ** 60 });
    await assert.rejects(full.take('shop', ['data']), /has no room for a copy of the volumes/);
  });

  test('what a process that was killed has left is removed, and what one that lives has is not', async () => {
    await using copy = await archives.take('shop', ['data']);
    const folders = join(folder, 'exports');
    const [own] = await readdir(folders);
    await mkdir(join(folders, '4194305-left'));
    // It is this process's own: only one that has not opened yet could have left it.
    await mkdir(join(folders, '1-lives'));
    await run('umount', [join(folders, own!, 'volumes', 'shop', 'data', 'mount')]);
    await removeOrphanedCopies(directory);
    assert.deepEqual(await readdir(folders), ['1-lives']);
    assert.equal(copy.archives.length, 1);
  });
});
