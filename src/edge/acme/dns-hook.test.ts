import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../../test/support/edge.ts';
import { dnsHook } from './dns-hook.ts';

const record = { name: '_acme-challenge.apps.test', value: 'a-value' };
const never = new AbortController().signal;

/** A hook that runs these lines of a shell; `$FOLDER` is its own. */
async function hookOf(t: TestContext, lines: string, limitMs = 60_000) {
  const folder = await mkdtemp(join(tmpdir(), 'berth-hook-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'hook');
  await writeFile(file, `#!/bin/sh\nFOLDER=${folder}\n${lines}\n`);
  await chmod(file, 0o700);
  return { hook: dnsHook([file, '--zone', 'a b;$(id)'], { limitMs }), at: (name: string) => join(folder, name) };
}

test('it gets its task as arguments, and sees nothing of the environment', async (t) => {
  process.env.BERTH_SECRET_KEY = 'a secret of the service';
  t.after(() => delete process.env.BERTH_SECRET_KEY);
  const { hook, at } = await hookOf(t, 'for word in "$@"; do echo "[$word]"; done > $FOLDER/words; env > $FOLDER/env');
  await hook('set', record, never);
  assert.equal(
    await readFile(at('words'), 'utf8'),
    '[--zone]\n[a b;$(id)]\n[set]\n[_acme-challenge.apps.test]\n[a-value]\n',
  );
  const variables = (await readFile(at('env'), 'utf8')).split('\n').map((line) => line.split('=')[0]!);
  assert.deepEqual(
    variables.filter((name) => !/^(PATH|HOME|PWD|SHLVL|_|)$/.test(name)),
    [],
  );
});

test('a failure is reported with the exit status, and without any output', async (t) => {
  const { hook } = await hookOf(t, 'echo TOKEN=hunter2; echo TOKEN=hunter2 >&2; exit 3');
  await assert.rejects(hook('set', record, never), {
    message: 'BERTH_ACME_DNS (set _acme-challenge.apps.test) ended with 3',
  });
  const { hook: killed } = await hookOf(t, 'kill -9 $$');
  await assert.rejects(killed('set', record, never), { message: /was ended by SIGKILL$/ });
  const absent = dnsHook(['/nowhere/hook'], { limitMs: 1_000 });
  await assert.rejects(absent('set', record, never), { message: /cannot be started: ENOENT$/ });
});

test('one that hangs is ended at its limit, with what it has started', async (t) => {
  const { hook, at } = await hookOf(
    t,
    'trap "" TERM; (trap "" TERM; sleep 1000) & echo $! > $FOLDER/child; wait',
    5_000,
  );
  await assert.rejects(hook('set', record, never), { message: /took longer than 5 s, and was ended$/ });
  const child = Number(await readFile(at('child'), 'utf8'));
  await eventually(async () => !(await isAlive(child)));
});

test('what it leaves behind ends with it, and one that prints without an end costs nothing', async (t) => {
  const { hook, at } = await hookOf(t, '(yes secret) & echo $! > $FOLDER/child; exit 0');
  await hook('set', record, never);
  const child = Number(await readFile(at('child'), 'utf8'));
  await eventually(async () => !(await isAlive(child)));
});

test('a service that stops ends it', async (t) => {
  const { hook, at } = await hookOf(t, 'touch $FOLDER/begun; sleep 1000');
  const stopping = new AbortController();
  const ended = assert.rejects(hook('set', record, stopping.signal), { message: /was ended: the service stops$/ });
  await eventually(async () => existsSync(at('begun')));
  stopping.abort();
  await ended;
  await assert.rejects(hook('set', record, stopping.signal), { message: /was not started/ });
});

/** An ended process that was not reaped still exists, but does nothing. */
async function stateOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[0];
}

async function isAlive(pid: number): Promise<boolean> {
  return !['Z', undefined].includes(await stateOf(pid));
}
