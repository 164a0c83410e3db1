/**
 * Runs commands with the same scripts in shells of this machine. As in a cluster, closing a connection does not end a
 * command.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { ExecOutput, RunningExec } from '../exec.ts';
import { createExec } from './exec.ts';
import { endInShell } from './exec-scripts.ts';
import type { FoundPod } from './objects.ts';
import type { ConnectToPod } from './pod-connection.ts';

/** Closes the existing connections without a notification. */
type Here = { connect: ConnectToPod; breakAll(): void };

/** `path`: where programs are looked for. */
function here(path = process.env.PATH): Here {
  const open = new Set<() => void>();
  return {
    async connect(_pod, [program, ...given]) {
      const child = spawn('/usr/bin/setsid', ['--wait', program!, ...given], { env: { PATH: path } });
      const output = new PassThrough({ objectMode: true });
      for (const from of ['stdout', 'stderr'] as const)
        child[from].on('data', (bytes) => output.writable && output.write({ from, bytes } satisfies ExecOutput));
      child.stdin.on('error', () => {});
      const end = once(child, 'close').then(([code]) => {
        output.end();
        // The status of `setsid` when it runs without a shell.
        return code === 127 ? { words: 'executable file not found in $PATH' } : { code: code as number };
      });
      const close = () => {
        child.stdin.destroy();
        output.destroy();
      };
      open.add(close);
      return {
        output: output as AsyncIterable<ExecOutput>,
        send: (bytes) => new Promise((resolve) => child.stdin.write(bytes, (error) => resolve(!error))),
        resize: async () => {},
        end,
        close,
      };
    },
    breakAll() {
      for (const close of open) close();
    },
  };
}

const workload = 'berth-shop-web-1-0';

/** One pod of the deployment runs. */
function execIn({ connect }: Here) {
  const pod = {
    metadata: { name: 'web-1-0-x', labels: { 'berth.workload': 'web-1-0' } },
    status: { containerStatuses: [{ state: { running: {} } }] },
  } as unknown as FoundPod;
  const cache = { check() {}, find: () => ({}), list: () => [pod] };
  return createExec({ connect }, cache as unknown as Parameters<typeof createExec>[1]);
}

async function writtenBy(running: RunningExec): Promise<{ stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' };
  for await (const { from, bytes } of running.output) written[from] += Buffer.from(bytes).toString();
  return written;
}

async function run(command: string[], { input = '', place = here() }: { input?: string; place?: Here } = {}) {
  await using running = await execIn(place).start(workload, { command });
  const written = writtenBy(running);
  await running.write(Buffer.from(input));
  running.endInput();
  return { ...(await written), code: await running.exitCode() };
}

/** Returns whether a process of this machine has this command line. */
async function isThere(words: string): Promise<boolean> {
  const lines = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return lines.some((line) => line.replaceAll('\0', ' ').trim() === words);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('a command gets its arguments and input unchanged, and its outputs and exit code are returned', async () => {
  const words = ['two words', '$HOME', '*', '', "it's"];
  const printed = await run(['printf', '%s\\n', ...words]);
  assert.deepEqual(printed, { stdout: words.map((word) => `${word}\n`).join(''), stderr: '', code: 0 });
  assert.deepEqual(await run(['sh', '-c', 'echo one; echo two >&2; exit 5']), {
    stdout: 'one\n',
    stderr: 'two\n',
    code: 5,
  });
  const input = '12\n0\n'.repeat(600_000);
  assert.equal((await run(['cat'], { input })).stdout, input);
  assert.deepEqual(await run(['sh', '-c', 'kill -9 $$']), { stdout: '', stderr: '', code: 137 });
});

test('one that ends before it has read everything is not waited for, and what it was given then is lost', async () => {
  await using running = await execIn(here()).start(workload, { command: ['true'] });
  const written = writtenBy(running);
  while (await running.write(Buffer.alloc(100_000)));
  assert.deepEqual(await written, { stdout: '', stderr: '' });
  assert.equal(await running.exitCode(), 0);
});

/** Ignores signals, has a child in a separate session, and one whose name is hard to parse. */
const stubborn = (seconds: string) =>
  `trap '' HUP TERM INT; setsid sleep ${seconds}1 & bash -c 'exec -a "9) S 1 1 1" sleep ${seconds}2' & echo started; sleep ${seconds}3`;

for (const how of ['disposed of', 'whose connections broke'] as const)
  test(`a command that was ${how} ends with its children, even if they ignore signals, and other processes continue`, async () => {
    const place = here();
    const seconds = how === 'disposed of' ? '717' : '727';
    const other = spawn('sleep', [`${seconds}4`]);
    const running = await execIn(place).start(workload, { command: ['sh', '-c', stubborn(seconds)] });
    await until(async () => (await isThere(`sleep ${seconds}1`)) && (await isThere(`9) S 1 1 1 ${seconds}2`)));
    if (how === 'disposed of') await running[Symbol.asyncDispose]();
    else place.breakAll();
    for (const words of [`sleep ${seconds}1`, `9) S 1 1 1 ${seconds}2`, `sleep ${seconds}3`])
      await until(async () => !(await isThere(words)));
    assert.ok(await isThere(`sleep ${seconds}4`));
    other.kill();
  });

test('nothing is run where what would end it does not come up', async () => {
  const place = here();
  const connect: ConnectToPod = async (pod, command) => {
    const connection = await place.connect(pod, command);
    if (command[2] === endInShell(1)[2]) connection.close();
    return connection;
  };
  const started = execIn({ ...place, connect }).start(workload, { command: ['sleep', '7373'] });
  await assert.rejects(started, { name: 'EngineFault', kind: 'unavailable' });
  assert.equal(await isThere('sleep 7373'), false);
});

test('one of another start that has the number of a session that has ended goes on', async () => {
  const other = spawn('/usr/bin/setsid', ['sleep', '7474']);
  await until(async () => await isThere('sleep 7474'));
  const { connect } = here();
  const pod = { namespace: '', pod: '', container: '' };
  const ending = await connect(pod, endInShell(other.pid!, '12'));
  await ending.send(Buffer.from('\n'));
  for await (const _ of ending.output);
  assert.deepEqual(await ending.end, { code: 0 });
  assert.ok(await isThere('sleep 7474'));
  other.kill();
});

test('what cannot be started says why, without its arguments', async () => {
  const refused = (words: RegExp) => (error: { kind?: string; message: string }) => {
    assert.equal(error.kind, 'bad-request', error.message);
    assert.match(error.message, words);
    return true;
  };
  await assert.rejects(
    run(['nothing', 'secret']),
    refused(/^"nothing" cannot be run: its image does not contain this program\.$/),
  );
  await assert.rejects(run(['/etc/passwd']), refused(/^"\/etc\/passwd" cannot be run: its user may not run it\.$/));
  const bare = await mkdtemp(join(tmpdir(), 'berth-bare-'));
  try {
    await assert.rejects(run(['true'], { place: here(bare) }), refused(/^Its image has no shell, /));
    await symlink('/bin/sh', join(bare, 'sh'));
    await assert.rejects(run(['sh'], { place: here(bare) }), refused(/^Its image has no "dd", /));
  } finally {
    await rm(bare, { recursive: true });
  }
});
