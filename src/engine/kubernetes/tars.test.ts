/** The very programs that are run in pods, on folders of this machine. Owners need root. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { EngineFault } from '../engine.ts';
import { type Copiers, copyCommand, createTars } from './copiers.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-tars-'));
  for (const name of ['from', 'to', 'other']) await mkdir(join(folder, name));
  const from = join(folder, 'from');
  await mkdir(join(from, 'below'));
  await writeFile(join(from, 'below', 'file'), 'some\n');
  await writeFile(join(from, '-a name\nof "two" lines'), '');
  await link(join(from, 'below', 'file'), join(from, 'below', 'again'));
  await symlink('/nowhere', join(from, 'link'));
  await writeFile(join(from, 'sparse'), 'begins');
  await truncate(join(from, 'sparse'), 2 ** 26);
  await chmod(join(from, 'below', 'file'), 0o4711);
  await chmod(from, 0o2750);
  await utimes(join(from, 'below', 'file'), 1_000_000_000, 1_000_000_000);
});
after(() => rm(folder, { recursive: true }));

/** Simulates the connection to a pod. Its input never ends by itself. */
const run: Copiers['run'] = async (_, [program, ...words], __, { input, output } = {}) => {
  const child = spawn(program!, words, { env: { PATH: process.env.PATH, LC_ALL: 'C' }, stdio: 'pipe' });
  child.stdin.on('error', () => {});
  void input?.(new Writable({ write: (piece, _, done) => void child.stdin.write(piece, done) }));
  if (output) child.stdout.on('data', (piece: Uint8Array) => output.write(piece));
  const [said, wrote] = [buffer(child.stderr), output ? undefined : buffer(child.stdout)];
  const [code] = await once(child, 'close');
  if (code === 0) return String(await said);
  throw new EngineFault('unavailable', `${await said}${await wrote}`);
};
const tars = createTars({ run });
const at = (name: string) => {
  const pod = { namespace: 'shop', pod: 'copier', container: 'copier' };
  return new Map([['data', { pod, path: join(folder, name) }]]);
};
const never = new AbortController().signal;

async function packed(name: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  const { read, apparentBytes } = await tars.toRead(at(name));
  assert.ok(apparentBytes > 2 ** 26, 'holes do not count');
  await read('data', new Writable({ write: (piece, _, done) => done(void pieces.push(piece)) }), never);
  return Buffer.concat(pieces);
}

const tarOf = (content: Buffer) => ({
  sizeBytes: content.length,
  read: (to: Writable) =>
    promisify((done: (error?: Error | null) => void) => to.write(content, done))() as Promise<void>,
});

test('what is packed is the same each time, is filled elsewhere, and is there as it was', async () => {
  const content = await packed('from');
  assert.ok(content.length < 2 ** 20, 'holes are read');
  assert.ok((await packed('from')).equals(content));
  const noted: number[] = [];
  await tars.toFill(at('to'), (bytes) => noted.push(bytes)).fill('data', tarOf(content), never);
  assert.equal(
    noted.reduce((sum, bytes) => sum + bytes, 0),
    content.length,
  );
  const to = join(folder, 'to');
  assert.ok((await packed('to')).equals(content));
  const [file, again, sparse, root] = await Promise.all(
    ['below/file', 'below/again', 'sparse', '.'].map((name) => stat(join(to, name))),
  );
  assert.equal(file!.ino, again!.ino);
  assert.deepEqual([file!.mode & 0o7777, file!.mtimeMs, root!.mode & 0o7777], [0o4711, 1e12, 0o2750]);
  assert.ok(sparse!.size === 2 ** 26 && sparse!.blocks < 100);
});

test('what was filled and is not what the tar says is a fault, and so is a tar that is a part of one', async () => {
  const content = await packed('from');
  const { fill } = tars.toFill(at('other'), () => {});
  const torn = content.subarray(0, 2048);
  await assert.rejects(fill('data', tarOf(torn), never), EngineFault);
  let reads = 0;
  const changing = {
    ...tarOf(content),
    async read(to: Writable) {
      if (++reads === 2) await writeFile(join(folder, 'other', 'below', 'file'), 'else\n');
      await tarOf(content).read(to);
    },
  };
  await assert.rejects(fill('data', changing, never), /below\/file|below\/again/);
});

test('a reader that ends early fails only that volume', async () => {
  const gone = new Writable({ write: (_, __, done) => done(new Error('who reads has gone')) });
  gone.on('error', () => {});
  const written: Copiers['run'] = (_, [program], __, { output } = {}) =>
    new Promise((resolve, reject) => {
      const isPacking = program === 'tar' && output !== undefined;
      if (!isPacking) return resolve('Total bytes written: 10240 (10KiB, 1MiB/s)');
      output.write('some', (error) => (error ? reject(error) : resolve('')));
    });
  const place = { pod: { namespace: 'n', pod: 'p', container: 'c' }, path: '/from/0' };
  const tars = await createTars({ run: written }).toRead(new Map([['data', place]]));
  await assert.rejects(tars.read('data', gone, new AbortController().signal), /who reads has gone/);
});

test('a copy has the contents of a folder, and nothing else', async () => {
  const copy = join(folder, 'copy');
  await mkdir(copy);
  const [program, ...words] = copyCommand(join(folder, 'from'), copy);
  await promisify(execFile)(program!, words);
  assert.ok((await packed('copy')).equals(await packed('from')));
  assert.equal(await readFile(join(copy, 'below', 'again'), 'utf8'), 'some\n');
});
