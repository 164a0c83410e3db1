/** `berth exec` as it is installed, against a service on the engine in memory: its statuses, its input, its terminal. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Berth, createBerth, until } from '../scenarios/berth.ts';
import { installPacked, type Packed } from './packed.ts';

const digest = `nginx@sha256:${'a'.repeat(64)}`;
const yaml = `application:
  name: shop
  pods:
    - { name: web, image: "${digest}", path: /, servicePorts: [80], vars: { COLOUR: blue } }
`;

let packed: Packed;
let berth: Berth;
let folder: string;
let env: Record<string, string>;
before(async () => {
  packed = await installPacked();
  berth = await createBerth({
    BERTH_ENGINE: 'memory',
    BERTH_DISK_FREE: '1Mi',
    BERTH_STRANGERS: 'session=10 address=20 memory=8Gi exec=yes',
  });
  await berth.serve();
  folder = await mkdtemp(join(tmpdir(), 'berth-exec-'));
  env = { PATH: process.env.PATH!, HOME: folder, TERM: 'xterm', BERTH_SERVER: berth.settings.baseUrl.origin };
  await writeFile(join(folder, 'app.yaml'), yaml);
  const deployed = await cli('deploy', 'app.yaml');
  assert.equal(deployed.status, 0, deployed.stderr);
});
after(async () => {
  await berth?.destroy();
  await packed?.remove();
  await rm(folder, { recursive: true, force: true });
});

const cli = (...words: string[]) => packed.start(words, { cwd: folder, env }).ended;

/** Runs the CLI with input through a pipe. */
const piped = (input: string, ...words: string[]) => packed.start(words, { cwd: folder, env, input }).ended;

test('a command ends with its own status, and what it writes goes where it was written', async () => {
  const reported = await cli('exec', 'web', '--', 'sh', '-c', 'echo out; echo err >&2; exit 7');
  assert.deepEqual([reported.status, reported.stdout, reported.stderr], [7, 'out\n', 'err\n']);
});

test('what is piped in arrives, to its end, however much it is', async () => {
  const text = 'a line of it\n'.repeat(50_000);
  const reported = await piped(text, 'exec', 'web', '--', 'cat');
  assert.deepEqual([reported.status, reported.stderr, reported.stdout === text], [0, '', true]);
  const shell = await piped('echo from the pipe\nexit 5\n', 'exec', 'web');
  assert.deepEqual([shell.status, shell.stdout], [5, 'from the pipe\n']);
});

test('for programs there is one answer', async () => {
  const reported = await cli('exec', 'web', '--json', '--', 'sh', '-c', 'echo out; exit 2');
  assert.equal(reported.status, 2);
  assert.deepEqual(JSON.parse(reported.stdout), {
    exitCode: 2,
    ended: 'by-itself',
    stdout: 'out\n',
    stderr: '',
    replica: 0,
  });
});

test('what cannot be run is refused in words', async () => {
  const pod = await cli('exec', 'nothing', '--', 'sh');
  assert.equal(pod.status, 1);
  assert.match(pod.stderr, /has no pod nothing\.\nIt has web\.\n$/);
  const program = await cli('exec', 'web', '--', 'no-such-program');
  assert.deepEqual([program.status, /its image does not contain this program/.test(program.stderr)], [1, true]);
  const terminal = await cli('exec', 'web', '--tty');
  assert.deepEqual([terminal.status, /--tty requires a terminal/.test(terminal.stderr)], [2, true]);
  const away = await packed.start(
    ['exec', 'web', '--app', 'shop', '--token', 'berth_x', '--server', 'http://127.0.0.1:9'],
    { cwd: folder, env },
  ).ended;
  assert.deepEqual([away.status, /does not answer/.test(away.stderr)], [3, true]);
});

test('Ctrl-C ends the command here and there', async () => {
  const count = (what: string) => berth.log().split(`command in a pod ${what}`).length;
  const [begun, ended] = [count('begun'), count('ended')];
  const running = packed.start(['exec', 'web', '--', 'sleep', '1000'], { cwd: folder, env });
  await until('it has begun', async () => count('begun') > begun || undefined);
  running.interrupt();
  assert.equal((await running.ended).status, 130);
  await until('it has ended', async () => count('ended') > ended || undefined);
});

test('on a terminal there is a shell on it, keys go there one by one, and the terminal is as it was afterwards', async () => {
  const words = `'${process.execPath}' '${packed.program}' exec web; echo "status $?"; stty -a`;
  const running = spawn('script', ['--quiet', '--command', `stty cols 91 rows 33; ${words}`, '/dev/null'], {
    cwd: folder,
    env,
  });
  const closed = once(running, 'close');
  let shown = '';
  running.stdout.on('data', (piece) => {
    shown += piece;
  });
  const sees = (text: string) => until(`it shows ${text}`, async () => shown.includes(text) || undefined);
  await sees('$ ');
  running.stdin.write('stty size\r');
  await sees('33 91');
  running.stdin.write('\x03');
  await sees('^C');
  running.stdin.write('exit 6\r');
  await sees('status 6');
  await closed;
  assert.match(shown, /[^-]icanon/);
  assert.match(shown, /[^-]echo /);
});
