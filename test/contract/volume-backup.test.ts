/** The data of deployments in a backup, and back again: volumes with file systems of their own. Needs root. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Kysely } from 'kysely';
import {
  type RestoreOrder,
  type RestoreStep,
  restoreInstallation,
} from '../../src/admin/backup/restore-installation.ts';
import { readBackupPlace } from '../../src/backup/backup-place.ts';
import { openRepository } from '../../src/backup/restic.ts';
import { createLoopVolumes, type LoopVolumes } from '../../src/engine/docker/volumes/loop-volumes.ts';
import { clearFolder } from '../../src/engine/docker/volumes/volume-copies.ts';
import { provideKeys, readKeys } from '../../src/lib/key-file.ts';
import { keyIdOf } from '../../src/lib/seal.ts';
import { wait } from '../../src/lib/wait.ts';
import { openSqlite } from '../../src/store/database.ts';
import { provideInstallationId, recordKeyId } from '../../src/store/installation.ts';
import type { Tables } from '../../src/store/rows.ts';
import { berthAdmin } from '../accounts/terminal.ts';
import { addKept } from '../support/kept-deployments.ts';

const run = promisify(execFile);
const needsRoot = { skip: process.getuid?.() === 0 ? false : 'file systems can be made by root alone' };
const passphrase = 'correct horse battery';
const sizeBytes = 32 * 2 ** 20;

describe('data of volumes', needsRoot, () => {
  let folder: string;
  let opened: AsyncDisposableStack;
  let db: Kysely<Tables>;
  let volumes: LoopVolumes;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-kept-'));
    opened = new AsyncDisposableStack();
    opened.defer(() => clearFolder(folder));
    await writeFile(join(folder, 'passphrase'), passphrase, { mode: 0o600 });
    await mkdir(here());
    provideKeys(join(here(), 'secret.key'));
    db = await openSqlite(join(here(), 'berth.db'));
    opened.defer(() => db.destroy());
    await provideInstallationId(db);
    await recordKeyId(db, keyIdOf(readKeys(join(here(), 'secret.key'))![0]));
    volumes = createLoopVolumes(join(here(), 'volumes'));
  });
  afterEach(async () => await opened.disposeAsync());

  const here = () => join(folder, 'here');
  const there = () => join(folder, 'there');
  const place = () => join(folder, 'kept');

  const deploy = (id: string, names: string[], fields?: Parameters<typeof addKept>[3]) =>
    addKept(
      db,
      id,
      names.map((name) => [name, sizeBytes]),
      fields,
    );

  async function makeVolume(deploymentId: string, volume: string): Promise<string> {
    await volumes.ensure({ deploymentId, volume }, sizeBytes);
    return volumes.dataOf({ deploymentId, volume });
  }

  const admin = (dataDir: string, ...words: string[]) =>
    berthAdmin(
      { PATH: process.env.PATH!, BERTH_DATA_DIR: dataDir },
      ...[...words, '--passphrase-file', join(folder, 'passphrase')],
    );
  const backUp = (...words: string[]) => admin(here(), 'backup', '--to', place(), '--json', ...words);
  const restore = (...words: string[]) => admin(there(), 'restore', '--from', place(), ...words);

  /** Shows what the command printed if it fails. */
  async function succeeds(command: ReturnType<typeof admin>): Promise<void> {
    const { status, stdout, stderr } = await command;
    assert.equal(status, 0, `${stdout}\n${stderr}`);
  }

  /** The content of a restored volume. */
  async function mounted(deploymentId: string, volume: string): Promise<string> {
    const restored = createLoopVolumes(join(there(), 'volumes'));
    await restored.ensure({ deploymentId, volume });
    assert.equal(await restored.sizeOf({ deploymentId, volume }), sizeBytes);
    return restored.dataOf({ deploymentId, volume });
  }

  test('confirmed writes of an application are in a later backup, and two volumes are of one instant', async () => {
    await deploy('shop', ['db', 'log']);
    const folders = [await makeVolume('shop', 'db'), await makeVolume('shop', 'log')];
    await chown(folders[0]!, 999, 999);
    await using writer = steadyWriter(folders);
    while (writer.reported() < 20) await wait(5);
    const reportedBefore = writer.reported();
    const made = await backUp();
    assert.equal(made.status, 0, made.stderr);
    assert.deepEqual([JSON.parse(made.stdout).deployments, JSON.parse(made.stdout).leftOut], [1, []]);
    const reportedAt = writer.reported();
    while (writer.reported() < reportedAt + 20) await wait(5);

    const back = await restore();
    assert.equal(back.status, 0, back.stderr);
    assert.match(back.stdout, /^2 volumes have their data again\.$/m);
    const [ofDb, ofLog] = [await numbersIn(await mounted('shop', 'db')), await numbersIn(await mounted('shop', 'log'))];
    assert.ok(
      ofLog.length >= reportedBefore && ofLog.length <= writer.reported(),
      `${ofLog.length} of ${reportedBefore}`,
    );
    assert.ok(
      ofDb.length - ofLog.length === 0 || ofDb.length - ofLog.length === 1,
      `${ofDb.length} and ${ofLog.length}`,
    );
    assert.deepEqual(
      ofDb,
      ofDb.map((_, index) => index + 1),
    );
    assert.equal((await stat(await mounted('shop', 'db'))).uid, 999);
    assert.deepEqual(
      (await readdir(here())).filter((name) => /draft/.test(name)),
      [],
    );
    assert.ok(!(await readFile('/proc/self/mountinfo', 'utf8')).includes('-draft'));
  });

  test('a second backup moves only what has changed, and older data goes with the backups that name it', async () => {
    await deploy('shop', ['db']);
    const data = await makeVolume('shop', 'db');
    await writeFile(join(data, 'large'), randomBytes(8 * 2 ** 20));
    const first = JSON.parse((await backUp()).stdout);
    assert.ok(first.addedBytes > 8 * 2 ** 20, JSON.stringify(first));
    await appendFile(join(data, 'small'), 'changed');
    const second = JSON.parse((await backUp()).stdout);
    assert.ok(second.addedBytes < 2 ** 20 && second.totalBytes > 8 * 2 ** 20, JSON.stringify(second));
    await rm(join(data, 'large'));
    const third = await backUp('--keep', '1', '--read-all');
    assert.equal(third.status, 0, third.stderr);
    const { stdout } = await run('du', ['-s', '--block-size=1', place()]);
    assert.ok(Number.parseInt(stdout, 10) < 4 * 2 ** 20, `the place still has ${stdout}`);
    await succeeds(restore());
    assert.deepEqual(await readdir(await mounted('shop', 'db')), ['small']);
  });

  test('deployments that are unclaimed, gone or without volumes here are left out, and missing ones are reported', async () => {
    await deploy('free', ['db'], { claimedAt: null, expiresAt: Date.now() + 3_600_000 });
    await deploy('gone', ['db'], { goneAt: 7, removedAt: 7 });
    await deploy('elsewhere', ['db']);
    await makeVolume('free', 'db');
    const { status, stdout } = await backUp();
    assert.equal(status, 0);
    const { deployments, leftOut } = JSON.parse(stdout);
    assert.deepEqual(
      [deployments, leftOut],
      [0, [{ deploymentId: 'elsewhere', volumes: ['db'], because: 'not-here' }]],
    );
  });

  test('one whose data cannot be read keeps no other from being backed up, and the command says so', async () => {
    for (const id of ['broken', 'shop']) {
      await deploy(id, ['db']);
      await appendFile(join(await makeVolume(id, 'db'), 'file'), 'kept');
    }
    const broken = join(here(), 'volumes', 'broken', 'db');
    await run('umount', [join(broken, 'mount')]);
    await writeFile(join(broken, 'image'), 'no file system');
    const { status, stdout } = await backUp();
    const { deployments, leftOut } = JSON.parse(stdout);
    assert.deepEqual(
      [status, deployments, leftOut.length, leftOut[0].deploymentId, leftOut[0].because],
      [1, 1, 1, 'broken', 'failed'],
    );
    await succeeds(restore());
    assert.equal(await readFile(join(await mounted('shop', 'db'), 'file'), 'utf8'), 'kept');
  });

  test('a kill in the middle of the copy leaves no volume frozen', async () => {
    await deploy('shop', ['db']);
    const data = await makeVolume('shop', 'db');
    const mount = join(here(), 'volumes/shop/db/mount');
    const script = `import { freezeAll } from './src/engine/docker/volumes/freeze.ts';
      await freezeAll([${JSON.stringify(mount)}]); console.log('frozen'); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const frozen = spawn('touch', [join(data, 'late')]);
    const written = once(frozen, 'exit');
    assert.equal(await Promise.race([written, wait(300).then(() => 'waits')]), 'waits');
    child.kill('SIGKILL');
    assert.deepEqual(await written, [0, null]);
  });

  class Killed extends Error {}

  test('killed at any step, a volume has all of its data or is not there, and the next call goes on with the same backup', async () => {
    await deploy('shop', ['db', 'log']);
    for (const volume of ['db', 'log']) await appendFile(join(await makeVolume('shop', volume), 'file'), 'first');
    const first = JSON.parse((await backUp()).stdout);
    const repository = openRepository(readBackupPlace(place()), passphrase, process.env);
    const store = { dataDir: there(), databaseUrl: undefined, databaseConnections: 2 };
    const order = (at: string | undefined): RestoreOrder => ({
      repository,
      store,
      id: undefined,
      secretKey: undefined,
      copiesElsewhere: async () => undefined,
      isWithoutVolumes: false,
      actor: 'ada',
      now: () => 7,
      report: (step: RestoreStep) => {
        if (step.kind === at) throw new Killed();
      },
    });
    for (const at of ['brought', 'checked', 'brought-volumes']) {
      await assert.rejects(restoreInstallation(order(at)), Killed);
      assert.deepEqual(await readdir(join(there(), 'volumes')).catch(() => []), []);
    }
    await assert.rejects(restoreInstallation(order('placed-volumes')), Killed);
    // One has its place and the other not, as when it is killed between the two.
    await rm(join(there(), 'volumes/shop/log'), { recursive: true });
    for (const volume of ['db', 'log'])
      await writeFile(join(volumes.dataOf({ deploymentId: 'shop', volume }), 'file'), 'second');
    const second = JSON.parse((await backUp()).stdout);
    const other = await restore('--backup', second.id);
    assert.match(other.stderr, new RegExp(`^A restore of ${first.id} was begun here`));
    assert.equal((await restoreInstallation(order(undefined))).kind, 'restored');
    for (const volume of ['db', 'log'])
      assert.equal(await readFile(join(await mounted('shop', volume), 'file'), 'utf8'), 'first');
  });

  test('volumes that are there stay as they are, with all others of their deployment', async () => {
    await deploy('shop', ['db', 'log']);
    await deploy('blog', ['db']);
    for (const [id, volume] of [
      ['shop', 'db'],
      ['shop', 'log'],
      ['blog', 'db'],
    ] as const)
      await appendFile(join(await makeVolume(id, volume), 'file'), 'old');
    await succeeds(backUp());
    const newer = createLoopVolumes(join(there(), 'volumes'));
    await newer.ensure({ deploymentId: 'shop', volume: 'db' }, sizeBytes);
    await writeFile(join(newer.dataOf({ deploymentId: 'shop', volume: 'db' }), 'file'), 'newer');
    const { status, stdout } = await restore();
    assert.equal(status, 0);
    assert.match(stdout, /^1 volumes have their data again\.\nThe volumes of 1 deployments were here/m);
    assert.equal(await readFile(join(await mounted('shop', 'db'), 'file'), 'utf8'), 'newer');
    assert.deepEqual(await readdir(join(there(), 'volumes/shop')), ['db']);
    assert.equal(await readFile(join(await mounted('blog', 'db'), 'file'), 'utf8'), 'old');
  });
});

function steadyWriter(folders: string[]): AsyncDisposable & { reported(): number } {
  const child: ChildProcess = spawn(process.execPath, ['test/contract/steady-writer.ts', ...folders], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let reported = 0;
  let rest = '';
  child.stdout!.on('data', (piece: Uint8Array) => {
    const lines = `${rest}${String(piece)}`.split('\n');
    rest = lines.pop()!;
    reported = Number(lines.at(-1) ?? reported);
  });
  return {
    reported: () => reported,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function numbersIn(folder: string): Promise<number[]> {
  return (await readFile(join(folder, 'numbers'), 'utf8')).trim().split('\n').map(Number);
}
