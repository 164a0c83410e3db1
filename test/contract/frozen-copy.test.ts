/** Copies of volumes while a program writes to them. Needs root. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { freezeAll, thawLeftovers } from '../../src/engine/docker/volumes/freeze.ts';
import { copyFrozen } from '../../src/engine/docker/volumes/frozen-copy.ts';
import { type LoopPlace, loopPlace } from '../../src/engine/docker/volumes/loop-layout.ts';
import { createLoopVolumes } from '../../src/engine/docker/volumes/loop-volumes.ts';
import { clearFolder } from '../../src/engine/docker/volumes/volume-copies.ts';

const run = promisify(execFile);
const needsRoot = { skip: process.getuid?.() === 0 ? false : 'file systems can be made by root alone' };

describe('copies of volumes that are written to', needsRoot, () => {
  let folder: string;
  let volume: LoopPlace;
  let opened: AsyncDisposableStack;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-frozen-'));
    opened = new AsyncDisposableStack();
    opened.defer(() => clearFolder(folder));
    await createLoopVolumes(folder).ensure({ deploymentId: 'shop', volume: 'db' }, 32 * 2 ** 20);
    volume = loopPlace(folder, 'shop', 'db');
  });
  afterEach(async () => await opened.disposeAsync());

  const copied = () => ({ image: volume.image, mount: volume.mount, copy: join(folder, 'copy') });

  async function assertThawed(): Promise<void> {
    await assert.rejects(run('fsfreeze', ['--unfreeze', volume.mount]), 'it was still frozen');
  }

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

  test('the copy of a volume that is written to is a clean file system', async () => {
    await startWriter();
    await copyFrozen([copied()]);
    await run('e2fsck', ['-fn', copied().copy]);
    const { stdout } = await run('dumpe2fs', ['-h', copied().copy]);
    assert.match(stdout, /^Filesystem state: +clean$/m);
    await assertThawed();
  });

  test('a copy holds what was written before it, and takes no room for holes', async () => {
    await run('dd', ['if=/dev/urandom', `of=${join(volume.data, 'much')}`, 'bs=1M', 'count=4']);
    await copyFrozen([copied()]);
    const { blocks } = await stat(copied().copy);
    assert.ok(blocks * 512 < 16 * 2 ** 20, `${blocks} blocks`);
    const read = await run('debugfs', ['-R', 'stat data/much', copied().copy]);
    assert.match(read.stdout, /Size: 4194304/);
  });

  test('a disk that fills up during the copy is reported', async () => {
    await run('dd', ['if=/dev/urandom', `of=${join(volume.data, 'much')}`, 'bs=1M', 'count=4', 'conv=fsync']);
    const small = join(folder, 'small');
    await mkdir(small);
    await run('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', small]);
    opened.defer(async () => void (await run('umount', [small])));
    const copying = copyFrozen([{ ...copied(), copy: join(small, 'copy') }]);
    await assert.rejects(copying, { name: 'EngineFault', kind: 'unavailable', message: /currently has no room/ });
    await assertThawed();
  });

  test('a caller that stops waiting for a freeze has frozen nothing, also during the freeze of another caller', async () => {
    const giveUp = new AbortController();
    const kept = await freezeAll([volume.mount]);
    const waiting = freezeAll([volume.mount], giveUp.signal);
    giveUp.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
    await kept.end();
    await writeFile(join(volume.data, 'file'), 'written');
    await (await freezeAll([volume.mount])).end();
  });

  test('if the program that keeps a freeze is killed, no volume stays frozen', async () => {
    const freeze = await freezeAll([volume.mount]);
    const { stdout } = await run('pgrep', ['--parent', String(process.pid), '--full', volume.mount]);
    for (const pid of stdout.trim().split('\n')) process.kill(Number(pid), 'SIGKILL');
    await assert.rejects(freeze.end(), { name: 'EngineFault' });
    await assertThawed();
  });

  test('the next service thaws volumes that a killed service left frozen, and no volume that a running freeze holds', async () => {
    await run('fsfreeze', ['--freeze', volume.mount]);
    await thawLeftovers(folder);
    await assertThawed();
    const freeze = await freezeAll([volume.mount]);
    await thawLeftovers(folder);
    await run('fsfreeze', ['--unfreeze', volume.mount]);
    await freeze.end();
  });
});
