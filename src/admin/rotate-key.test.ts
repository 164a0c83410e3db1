import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { Kysely } from 'kysely';
import { deploymentOf, pod, specOf } from '../../test/support/deployments.ts';
import { followKeys, provideKeys, readKeys, replaceKeys } from '../lib/key-file.ts';
import { keyIdOf, sealBy, sealWith } from '../lib/seal.ts';
import { auditEntries } from '../store/audit-log.ts';
import { openSqlite } from '../store/database.ts';
import { addDeployment } from '../store/deployments.ts';
import { addRevision, documentOf } from '../store/revisions.ts';
import type { Tables } from '../store/rows.ts';
import { derivationOf, provideSeed } from '../store/seeds.ts';
import { addSession } from '../store/sessions.ts';
import { finishRotation, keyFileOf, type RotationStep, rotateKey } from './rotate-key.ts';

const revisions = 120;
const spec = specOf(pod('web'));
const documentNumber = (number: number) => `document ${number} ${'x'.repeat(5000)}`;

let template: string;
let folder: string;
let file: string;
let db: Kysely<Tables>;
before(async () => {
  template = await mkdtemp(join(tmpdir(), 'berth-rotation-'));
  provideKeys(keyFileOf(template));
  const seal = sealWith(...readKeys(keyFileOf(template))!);
  const store = await openSqlite(join(template, 'berth.db'));
  await store.transaction().execute(async (store) => {
    await addSession(store, { id: 'session', token: 'token', createdAt: 0 });
    await addDeployment(store, deploymentOf({ id: 'shop' }));
    await provideSeed(store, seal, 'shop');
    for (let number = 1; number <= revisions; number++) {
      await addRevision(store, seal, 'shop', {
        number,
        spec,
        document: documentNumber(number),
        createdAt: 0,
        askedBy: 'session',
      });
    }
  });
  await store.destroy();
});
beforeEach(async () => {
  await copyInstallation();
  db = await openSqlite(join(folder, 'berth.db'));
});
afterEach(end);
after(async () => await rm(template, { recursive: true }));

async function copyInstallation(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'berth-rotation-'));
  file = keyFileOf(folder);
  for (const name of ['berth.db', 'secret.key']) await copyFile(join(template, name), join(folder, name));
}

async function end(): Promise<void> {
  await db.destroy();
  await rm(folder, { recursive: true });
}

const rotate = (reported: (step: RotationStep) => void = () => {}) =>
  rotateKey(db, { file, actor: 'ada', now: 7, report: reported });

/** All sealed values can be opened with the current keys of the file. */
async function assertReadable(): Promise<void> {
  const seal = sealWith(...readKeys(file)!);
  for (let number = 1; number <= revisions; number++) {
    assert.equal(await documentOf(db, seal, 'shop', number), documentNumber(number));
  }
}

test('a rotation leaves one key, which is new and opens everything, and what was generated as it was', async () => {
  const [old] = readKeys(file)!;
  const generated = async () => (await derivationOf(db, sealWith(...readKeys(file)!), 'shop'))('purpose');
  const before = await generated();
  const { document } = await db.selectFrom('revisions').select('document').executeTakeFirstOrThrow();
  const steps: string[] = [];
  const rotation = await rotate(({ kind }) => steps.push(kind));

  const keys = readKeys(file)!;
  assert.equal(keys.length, 1);
  assert.notEqual(keys[0], old);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const keyId = keyIdOf(keys[0]);
  const counts = { rows: revisions + 1, unreadable: 0 };
  assert.deepEqual(rotation, { kind: 'rotated', keyId, isContinued: false, hasOldPages: false, ...counts });
  assert.deepEqual([...new Set(steps)], ['recorded', 'key-added', 'resealed', 'key-dropped']);
  await assertReadable();
  assert.deepEqual(await generated(), before);
  assert.deepEqual(
    (await auditEntries(db)).map(({ actor, action, subject }) => [actor, action, subject]),
    [['ada', 'rotate-key', keyId]],
  );
  // Data that the previous key could open is gone from the disk, including unused pages.
  for (const name of ['berth.db', 'berth.db-wal']) {
    const bytes = await readFile(join(folder, name));
    assert.ok(!bytes.includes(Buffer.from(document).subarray(0, 64)), name);
    assert.ok(!bytes.includes(Buffer.from(keyIdOf(old), 'hex')), name);
  }
});

test('killed before any write to the key file or after any step, all can be read, and the next call finishes it', async () => {
  const ends: string[] = [];
  for (let instant = 1; ; instant++) {
    await end();
    await copyInstallation();
    const killed = spawnSync(process.execPath, ['--input-type=module', '-e', dieAt, folder, `${instant}`], {
      encoding: 'utf8',
    });
    db = await openSqlite(join(folder, 'berth.db'));
    await assertReadable();
    const [present, ...older] = readKeys(file)!;
    if (killed.signal === null) {
      assert.deepEqual([killed.status, older], [0, []], killed.stderr);
      break;
    }
    assert.equal(killed.signal, 'SIGKILL', killed.stderr);
    ends.push(killed.stdout);

    const rotation = await rotate();
    assert.ok(rotation.kind === 'rotated');
    assert.equal(rotation.isContinued, older.length > 0, killed.stdout);
    assert.equal(readKeys(file)!.length, 1);
    assert.equal(readKeys(file)![0] === present, older.length > 0, 'the key that was begun with');
    assert.deepEqual((await readdir(folder)).sort(), ['berth.db', 'berth.db-shm', 'berth.db-wal', 'secret.key']);
    await assertReadable();
  }
  const write = ['write', 'sync', 'rename', 'sync'];
  const steps = ['recorded', ...write, 'key-added', 'resealed', 'resealed', ...write, 'key-dropped'];
  assert.deepEqual(ends, steps);
});

test('a service that starts after an interrupted rotation finishes it', async () => {
  const keys = readKeys(file)!;
  replaceKeys(file, ['new', ...keys]);
  await writeFile(`${file}.draft-abcdefghij`, 'what a killed process has left');
  const resealed = await finishRotation(db, file, sealBy(followKeys(file)));
  assert.deepEqual(resealed, { rows: revisions + 1, unreadable: 0 });
  assert.deepEqual(readKeys(file), ['new']);
  assert.deepEqual((await readdir(folder)).sort(), ['berth.db', 'berth.db-shm', 'berth.db-wal', 'secret.key']);
  await assertReadable();
});

test('another process that keeps writing seals only data that is readable after the rotation', async () => {
  const writer = spawn(process.execPath, ['--input-type=module', '-e', writeAllTheTime, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(writer, 'exit');
  let written = 0;
  writer.stdout.on('data', (dots: Buffer) => {
    written += dots.length;
  });
  await once(writer.stdout, 'data');
  // The machine decides how often the other process gets its turn. The rotation is repeated until the other process
  // wrote in the middle of it.
  for (let inTheMiddle = 0; inTheMiddle < 10 && writer.exitCode === null; ) {
    const before = written;
    await rotate();
    inTheMiddle += written - before;
  }
  writer.stdin.end();
  assert.deepEqual(await ended, [0, null]);
  const { count } = await db
    .selectFrom('revisions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const seal = sealWith(...readKeys(file)!);
  for (let number = revisions + 1; number <= count; number++) {
    assert.equal(await documentOf(db, seal, 'shop', number), 'written during the rotation');
  }
  assert.equal(readKeys(file)!.length, 1);
  await assertReadable();
});

test('two rotations at once leave one key that opens everything', async () => {
  const other = spawn(process.execPath, ['--input-type=module', '-e', rotateBeside, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const otherEnded = once(other, 'exit');
  await once(other.stdout, 'data');
  await rotate();
  assert.deepEqual(await otherEnded, [0, null]);
  assert.equal(readKeys(file)!.length, 1);
  await assertReadable();
});

test('without a key file nothing is changed', async () => {
  await rm(file);
  assert.deepEqual(await rotate(), { kind: 'no-file' });
  assert.deepEqual(await auditEntries(db), []);
});

const modules = [
  './rotate-key.ts',
  '../store/database.ts',
  '../store/revisions.ts',
  '../lib/key-file.ts',
  '../lib/seal.ts',
  '../lib/wait.ts',
];
const [rotateKeyModule, databaseModule, revisionsModule, keyFileModule, sealModule, waitModule] = modules.map((name) =>
  JSON.stringify(new URL(name, import.meta.url).href),
);

/** Runs a rotation in a process that exits abruptly at a given step, and prints the step. */
const dieAt = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const [, folder, instant] = process.argv;
  let toLive = Number(instant);
  const come = (what) => {
    if (--toLive !== 0) return;
    fs.writeSync(1, what);
    process.kill(process.pid, 'SIGKILL');
  };
  for (const [name, what] of [['writeFileSync', 'write'], ['fsyncSync', 'sync'], ['renameSync', 'rename']]) {
    const real = fs[name];
    fs[name] = (...words) => (come(what), real(...words));
  }
  syncBuiltinESMExports();
  const { keyFileOf, rotateKey } = await import(${rotateKeyModule});
  const { openSqlite } = await import(${databaseModule});
  const db = await openSqlite(folder + '/berth.db');
  await rotateKey(db, { file: keyFileOf(folder), actor: 'ada', now: 7, report: ({ kind }) => come(kind) });
  await db.destroy();
`;

/** Runs a rotation in a separate process, which prints a line when it is at work. */
const rotateBeside = `
  import { keyFileOf, rotateKey } from ${rotateKeyModule};
  import { openSqlite } from ${databaseModule};
  const [, folder] = process.argv;
  const db = await openSqlite(folder + '/berth.db');
  const report = ({ kind }) => process.stdout.write(kind);
  await rotateKey(db, { file: keyFileOf(folder), actor: 'eve', now: 8, report });
  await db.destroy();
`;

/**
 * Acts like a service: revisions are sealed in the transactions that write them, and read again. Pauses for as long as
 * each transaction takes: SQLite keeps no queue, and on a slow disk other writers would time out.
 */
const writeAllTheTime = `
  import { openSqlite } from ${databaseModule};
  import { addRevision, documentOf } from ${revisionsModule};
  import { followKeys } from ${keyFileModule};
  import { sealBy } from ${sealModule};
  import { wait } from ${waitModule};
  const [, folder] = process.argv;
  const db = await openSqlite(folder + '/berth.db');
  const seal = sealBy(followKeys(folder + '/secret.key'));
  let isOver = false;
  process.stdin.on('end', () => { isOver = true; }).resume();
  let number = ${revisions};
  while (!isOver) {
    const at = performance.now();
    number += 1;
    const revision = { number, spec: { name: 'shop', pods: [] }, document: 'written during the rotation', createdAt: 0, askedBy: 'session' };
    await db.transaction().execute((db) => addRevision(db, seal, 'shop', revision));
    for (const each of [number, 1 + number % ${revisions}]) await documentOf(db, seal, 'shop', each);
    process.stdout.write('.');
    await wait(performance.now() - at);
  }
  await db.destroy();
`;
