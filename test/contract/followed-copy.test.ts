/** Copies of volumes that are written to meanwhile, by what the kernel tells of the writes. Needs root. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { bytesOf, createBlockMap } from '../../src/engine/docker/volumes/block-map.ts';
import { followWrites, NotFollowed, type Write } from '../../src/engine/docker/volumes/follow-writes.ts';
import { copyFollowed } from '../../src/engine/docker/volumes/followed-copy.ts';
import { freezeAll, thawLeft } from '../../src/engine/docker/volumes/freeze.ts';
import { copyFrozen } from '../../src/engine/docker/volumes/frozen-copy.ts';
import { type LoopPlace, loopPlace } from '../../src/engine/docker/volumes/loop-layout.ts';
import { readMounts } from '../../src/engine/docker/volumes/mount-table.ts';
import { clearFolder } from '../../src/engine/docker/volumes/mounted-folder.ts';
import { loopVolumesIn } from '../../src/engine/docker/volumes/volume-copies.ts';
import { wait } from '../../src/lib/wait.ts';

const run = promisify(execFile);
const needsRoot = { skip: process.getuid?.() === 0 ? false : 'file systems can be made by root alone' };
const instances = '/sys/kernel/tracing/instances';
const blockBytes = 4096;
const longestMs = 60_000;

describe('copies of volumes that are written to', needsRoot, () => {
  let folder: string;
  let volume: LoopPlace;
  let device: string;
  let opened: AsyncDisposableStack;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-followed-'));
    opened = new AsyncDisposableStack();
    opened.defer(() => clearFolder(folder));
    await loopVolumesIn(folder).ensure({ deploymentId: 'shop', volume: 'db' }, 32 * 2 ** 20);
    volume = loopPlace(folder, 'shop', 'db');
    device = (await readMounts()).get(volume.mount)!.number;
  });
  afterEach(async () => await opened.disposeAsync());

  const copied = () => ({ image: volume.image, mount: volume.mount, copy: join(folder, 'copy') });

  /** Ends with the test. */
  async function startWriter(): Promise<void> {
    const writer = spawn(process.execPath, ['test/contract/busy-writer.ts', volume.data], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    opened.defer(async () => {
      writer.kill('SIGKILL');
      await once(writer, 'exit');
    });
    await once(writer.stdout, 'data');
  }

  async function followed<T>(context: TestContext, work: Promise<T>): Promise<T | undefined> {
    return await work.catch((error: unknown) => {
      if (!(error instanceof NotFollowed)) throw error;
      context.skip('the kernel of this host does not tell what is written');
      return undefined;
    });
  }

  test('under the freeze, every block that was written is the same in the copy', async (context) => {
    await startWriter();
    await using beside = await followed(context, copyFollowed([copied()]));
    if (!beside) return;
    const freeze = await freezeAll([volume.mount]);
    await beside.finish(longestMs);
    const [image, copy] = await Promise.all([readFile(volume.image), readFile(copied().copy)]);
    await freeze.end();
    await beside.expectWhole();
    assert.equal(image.length, copy.length);
    const different = createBlockMap(image.length);
    for (let start = 0; start < image.length; start += blockBytes) {
      const end = start + blockBytes;
      // What is in no file any more the host has got back: it is a hole there.
      const isHole = image.subarray(start, end).every((byte) => byte === 0);
      if (!isHole && image.compare(copy, start, end, start, end) !== 0) different.add({ start, end });
    }
    assert.deepEqual([...different.take()], []);
    await run('e2fsck', ['-fn', copied().copy]);
  });

  test('whoever writes more than can be copied in time is held back for no longer', async (context) => {
    await using beside = await followed(context, copyFollowed([copied()]));
    if (!beside) return;
    await run('dd', ['if=/dev/urandom', `of=${join(volume.data, 'much')}`, 'bs=1M', 'count=4', 'conv=fsync']);
    const freeze = await freezeAll([volume.mount]);
    await assert.rejects(beside.finish(0), {
      name: 'EngineFault',
      kind: 'bad-request',
      message: /^So much is written/,
    });
    await freeze.end();
  });

  test('a disk that becomes full while it takes the copy is told of in words', async () => {
    await run('dd', ['if=/dev/urandom', `of=${join(volume.data, 'much')}`, 'bs=1M', 'count=4', 'conv=fsync']);
    const small = join(folder, 'small');
    await mkdir(small);
    await run('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', small]);
    opened.defer(async () => void (await run('umount', [small])));
    const copying = copyFrozen([{ ...copied(), copy: join(small, 'copy') }]);
    await assert.rejects(copying, { name: 'EngineFault', kind: 'unavailable', message: /currently has no room/ });
    await assert.rejects(instanceOf(device), /no instance/);
  });

  test('whoever gives up waiting for a freeze has not frozen anything, also while somebody else keeps one', async () => {
    const giveUp = new AbortController();
    const kept = await freezeAll([volume.mount]);
    const waiting = freezeAll([volume.mount], giveUp.signal);
    giveUp.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
    await kept.end();
    await writeFile(join(volume.data, 'file'), 'written');
    await (await freezeAll([volume.mount])).end();
  });

  test('where what keeps a freeze is killed, nobody is left frozen', async () => {
    const freeze = await freezeAll([volume.mount]);
    const { stdout } = await run('pgrep', ['--parent', String(process.pid), '--full', volume.mount]);
    for (const pid of stdout.trim().split('\n')) process.kill(Number(pid), 'SIGKILL');
    await assert.rejects(freeze.end(), { name: 'EngineFault' });
    await assert.rejects(run('fsfreeze', ['--unfreeze', volume.mount]), 'it was still frozen');
  });

  test('what a killed service has left frozen is thawed by the next one, and not what somebody keeps frozen', async () => {
    await run('fsfreeze', ['--freeze', volume.mount]);
    await thawLeft(folder);
    await assert.rejects(run('fsfreeze', ['--unfreeze', volume.mount]), 'it was still frozen');
    const freeze = await freezeAll([volume.mount]);
    await thawLeft(folder);
    await run('fsfreeze', ['--unfreeze', volume.mount]);
    await freeze.end();
  });

  test('the kernel is as hurried after a freeze as before, also beside another and after one that was killed', async (context) => {
    const hurry = '/sys/kernel/rcu_expedited';
    if (!(await stat(hurry).catch(() => undefined))) return context.skip('the kernel of this host cannot be hurried');
    const script = `import { readFileSync, writeFileSync } from 'node:fs';
      import { freezeAll } from './src/engine/docker/volumes/freeze.ts';
      for (const left of ['0', '1000', '1', '1001']) {
        writeFileSync('${hurry}', left);
        const freeze = await freezeAll(['${volume.mount}']);
        await freeze.end();
        console.log(left, readFileSync('${hurry}', 'utf8').trim());
      }`;
    // Others hurry it meanwhile: in a view of the machine of its own, a file takes its place.
    const stage = 'mount --bind "$1" "$2" && shift 2 && exec "$@"';
    const file = join(folder, 'hurry');
    await writeFile(file, '');
    const node = [process.execPath, '--input-type=module-typescript', '-e', script];
    const { stdout } = await run('unshare', ['--mount', 'sh', '-c', stage, 'sh', file, hurry, ...node]);
    assert.equal(stdout, '0 0\n1000 0\n1 1\n1001 1\n');
  });

  test('where some were told to nobody, it says so', async (context) => {
    await using writes = await followed(context, followWrites([device]));
    if (!writes) return;
    const ours = await instanceOf(device);
    await writes.expectAll();
    await writeFile(join(ours, 'buffer_size_kb'), '4');
    await startWriter();
    const all: Write[] = [];
    while (bytesOf(all) === 0) {
      all.push(...writes.read());
      await wait(5);
    }
    assert.ok(all.every((write) => write.device === device));
    await run('dd', ['if=/dev/zero', `of=${join(volume.data, 'many')}`, 'bs=4k', 'count=1000', 'oflag=direct']);
    await assert.rejects(writes.expectAll(), NotFollowed);
    await using again = await followWrites([device]);
    await again.expectAll();
    for (const name of ['tracing_on', 'events/block/block_rq_complete/enable'])
      await writeFile(join(await instanceOf(device, ours), name), '0');
    await assert.rejects(again.expectAll(), NotFollowed);
  });

  test('what a process that was killed has left in the kernel goes when another one follows', async (context) => {
    const script = `import { followWrites } from './src/engine/docker/volumes/follow-writes.ts';
      const writes = await followWrites(['${device}']).catch(() => undefined);
      console.log(writes ? 'follows' : 'not');
      setInterval(() => writes?.read(), 1000);`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = await once(child.stdout, 'data');
    const isFollowing = String(said).startsWith('follows');
    const left = isFollowing ? await instanceOf(device) : '';
    // It is in use, and nobody else removes it.
    if (isFollowing) await (await followWrites([device]))[Symbol.asyncDispose]();
    if (isFollowing) assert.equal(await instanceOf(device), left);
    child.kill('SIGKILL');
    await once(child, 'exit');
    if (!isFollowing) return context.skip('the kernel of this host does not tell what is written');
    await (await followWrites([device]))[Symbol.asyncDispose]();
    await assert.rejects(instanceOf(device), /no instance/);
  });

  test('given up while it copies, it leaves nothing in the kernel', async () => {
    await startWriter();
    const giveUp = new AbortController();
    const copying = copyFrozen([copied()], { signal: giveUp.signal });
    while (!(await stat(copied().copy).catch(() => undefined))?.size) await wait(1);
    giveUp.abort();
    await assert.rejects(copying, { name: 'AbortError' });
    await assert.rejects(instanceOf(device), /no instance/);
  });

  test('where the kernel tells nothing, all is compared under the freeze', async () => {
    await startWriter();
    const script = `import { copyFrozen } from './src/engine/docker/volumes/frozen-copy.ts';
      await copyFrozen([${JSON.stringify(copied())}]);`;
    // In a view of the machine of its own, there is another file system.
    const hide = 'mount -t tmpfs none /sys/kernel/tracing && touch /sys/kernel/tracing/none && exec "$@"';
    const node = [process.execPath, '--input-type=module-typescript', '-e', script];
    await run('unshare', ['--mount', 'sh', '-c', hide, 'sh', ...node]);
    await run('e2fsck', ['-fn', copied().copy]);
    const { stdout } = await run('dumpe2fs', ['-h', copied().copy]);
    assert.match(stdout, /^Filesystem state: +clean$/m);
  });
});

async function instanceOf(device: string, other?: string): Promise<string> {
  const [major, minor] = device.split(':').map(Number) as [number, number];
  for (const name of await readdir(instances)) {
    const path = join(instances, name);
    const filter = await readFile(join(path, 'events/block/block_rq_complete/filter'), 'utf8').catch(() => '');
    if (path !== other && filter.includes(`dev == ${major * 2 ** 20 + minor})`)) return path;
  }
  throw new Error('no instance follows it');
}
