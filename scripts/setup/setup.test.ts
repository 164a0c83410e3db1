import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Announce } from './announce.ts';
import { announceOn } from './announce.ts';
import { candidateOf, waitForLocks } from './apt.ts';
import { lastLinesOf, run } from './commands.ts';
import { installWords, isDebianLike } from './host.ts';
import { isNewEnough, parseVersion } from './proxy.ts';
import { setUp } from './setup.ts';

test('a set-up without work prints nothing', async () => {
  const announced: string[] = [];
  const announce: Announce = (what, work) => {
    announced.push(what);
    return work();
  };
  await setUp({ announce, forTests: true });
  assert.deepEqual(announced, []);
});

test('a step is one line with its title and its duration', async () => {
  const written: string[] = [];
  const times = [0, 18_200];
  const announce = announceOn({ write: (text) => written.push(text) }, () => times.shift() ?? 0);
  assert.equal(await announce('Installing haproxy (about 5 s)', async () => 'result'), 'result');
  assert.equal(written.join(''), 'Installing haproxy (about 5 s) … done in 18 s\n');
});

test('a step that fails ends its line and passes the error on', async () => {
  const written: string[] = [];
  const announce = announceOn({ write: (text) => written.push(text) });
  await assert.rejects(
    announce('Installing', async () => {
      throw new Error('no space');
    }),
    /no space/,
  );
  assert.equal(written.join(''), 'Installing … failed\n');
});

test('the error of a failed program contains its last lines', async () => {
  const program = 'console.log("1\\n2"); console.error("3"); process.exit(4)';
  await assert.rejects(run([process.execPath, '-e', program]), /failed:\n1\n2\n3$/);
  assert.equal(lastLinesOf('a\n\nb  \nc\n', 2), 'b\nc');
});

test('the set-up waits for the lock of the package lists, and retries no other error', async () => {
  const locked = new Error('failed:\nE: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)');
  const outcomes = [locked, locked, undefined];
  let waits = 0;
  const wait = async () => void waits++;
  const update = async () => {
    const error = outcomes.shift();
    if (error) throw error;
    return 'updated';
  };
  assert.equal(await waitForLocks(update, wait), 'updated');
  assert.equal(waits, 2);
  outcomes.push(new Error('Temporary failure resolving'), undefined);
  await assert.rejects(waitForLocks(update, wait), /Temporary failure/);
  const forEver = async () => {
    throw locked;
  };
  await assert.rejects(waitForLocks(forEver, wait), /Could not get lock/);
  assert.equal(waits, 302);
});

test('Debian, Ubuntu and their derivatives are recognized', () => {
  assert.equal(isDebianLike('PRETTY_NAME="Debian"\nID=debian\n'), true);
  assert.equal(isDebianLike('ID=linuxmint\nID_LIKE="ubuntu debian"\n'), true);
  assert.equal(isDebianLike('ID=fedora\nID_LIKE="rhel"\nVERSION_ID=42\n'), false);
  assert.equal(isDebianLike(''), false);
});

test('packages have the names of the present system', () => {
  assert.equal(installWords('linux', 'ID=fedora\n')?.proxy, 'sudo dnf install haproxy');
  assert.equal(
    installWords('linux', 'ID=rocky\nID_LIKE="rhel centos fedora"\n')?.engine,
    'sudo dnf install moby-engine',
  );
  assert.equal(installWords('linux', 'ID=manjaro\nID_LIKE=arch\n')?.engine, 'sudo pacman -S docker');
  assert.equal(installWords('linux', 'ID=debian\n')?.proxy, 'sudo apt-get install haproxy');
  assert.equal(installWords('darwin', '')?.proxy, 'brew install haproxy');
  assert.equal(installWords('linux', 'ID=nixos\n'), undefined);
});

test('the version that apt would install is read from its policies', () => {
  const policies = [
    'haproxy:\n  Installed: (none)\n  Candidate: 2.6.12-1+deb12u2\n  Version table:\n     2.6.12-1+deb12u2 500',
    'postgresql-15:\n  Installed: (none)\n  Candidate: (none)\n',
  ].join('\n');
  assert.equal(candidateOf(policies, 'haproxy'), '2.6.12-1+deb12u2');
  assert.equal(candidateOf(policies, 'postgresql-15'), undefined);
  assert.equal(candidateOf(policies, 'proxy'), undefined);
  assert.equal(candidateOf('', 'haproxy'), undefined);
});

test('HAProxy is new enough from 2.6 on', () => {
  const version = parseVersion('HAProxy version 2.6.12-1+deb12u2 2025/04/16 - https://haproxy.org/\nStatus: …');
  assert.deepEqual(version, [2, 6]);
  assert.equal(isNewEnough([2, 6]), true);
  assert.equal(isNewEnough([3, 0]), true);
  assert.equal(isNewEnough([2, 4]), false);
  assert.equal(isNewEnough([1, 9]), false);
  assert.equal(parseVersion('something else'), undefined);
});

test('programs that the set-up runs do not get the settings of the service', async (t) => {
  process.env.BERTH_SECRET_KEY = 'planted';
  t.after(() => delete process.env.BERTH_SECRET_KEY);
  assert.doesNotMatch(await run(['env']), /BERTH_/);
});
