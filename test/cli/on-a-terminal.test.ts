/** `berth` as it is installed, on a terminal of its own: what people see there, and programs do not. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify, stripVTControlCharacters } from 'node:util';
import { renderUnicodeCompact } from 'uqr';
import { type Berth, createBerth } from '../scenarios/berth.ts';
import { installPacked, type Packed } from './packed.ts';

const digest = `nginx@sha256:${'a'.repeat(64)}`;
const yaml = `application: { name: shop, pods: [{ name: web, image: "${digest}", path: /, servicePorts: [80] }] }\n`;

let packed: Packed;
let berth: Berth;
let folder: string;
let env: Record<string, string>;
before(async () => {
  packed = await installPacked();
  berth = await createBerth({ BERTH_ENGINE: 'memory', BERTH_DISK_FREE: '1Mi' });
  await berth.serve();
  folder = await mkdtemp(join(tmpdir(), 'berth-terminal-'));
  env = { PATH: process.env.PATH!, HOME: folder, TERM: 'xterm', BERTH_SERVER: berth.settings.baseUrl.origin };
  await writeFile(join(folder, 'app.yaml'), yaml);
});
after(async () => {
  await berth?.destroy();
  await packed?.remove();
  await rm(folder, { recursive: true, force: true });
});

/**
 * The output of a command on a terminal of `script`, with line feeds as a program writes them. @param typed A line for
 * each question.
 */
async function onTerminal(words: string, more: Record<string, string> = {}, typed: string[] = []): Promise<string> {
  const command = `'${process.execPath}' '${packed.program}' ${words}`;
  const argv = ['--quiet', '--return', '--command', command, '/dev/null'];
  const running = promisify(execFile)('script', argv, { cwd: folder, env: { ...env, ...more } });
  const { stdin, stdout: shown } = running.child;
  // A line that is typed before its question is lost.
  shown!.on('data', (piece: string) => {
    const isRequested = /(?:: |\] )$/.test(stripVTControlCharacters(piece));
    if (isRequested && typed.length > 0) stdin!.write(`${typed.shift()}\n`);
  });
  const { stdout } = await running;
  return stdout.replaceAll(/\r+\n/g, '\n');
}

test('a claim shows its link as a QR code too, on a terminal alone', async () => {
  await onTerminal('deploy app.yaml');
  const [link, ...shown] = (await onTerminal('claim')).split('\n');
  assert.match(link!, /^http:\/\/\S+\/claim\/claim_\S+$/);
  const code = renderUnicodeCompact(link!, { border: 2 }).split('\n');
  assert.deepEqual(shown.slice(0, code.length), code);
  assert.match(shown[code.length]!, /^A person who opens this link/);

  const reported = await packed.start(['claim'], { cwd: folder, env }).ended;
  assert.match(reported.stdout, /^http:\/\/\S+\n$/);
  assert.equal(typeof JSON.parse(await onTerminal('claim --json 2>&-')).claimToken, 'string');
});

test('colours are for a terminal, unless NO_COLOR is set', async () => {
  assert.ok((await onTerminal('validate app.yaml')).includes('\x1b[32mvalid\x1b[39m'));
  assert.ok(!(await onTerminal('validate app.yaml', { NO_COLOR: '1' })).includes('\x1b'));
});

test('up prompts for missing values once, keeps them in the folder, and otherwise names their file', async () => {
  const project = join(folder, 'greeting');
  await mkdir(project);
  const compose = ['services:', '  web:', `    image: ${digest}`, '    ports: [80]', '    env_file: mail.env'];
  await writeFile(join(project, 'compose.yaml'), [...compose, '    environment: { WORD: "${WORD}" }', ''].join('\n'));

  const reported = await packed.start(['up', 'greeting', '--yes'], { cwd: folder, env }).ended;
  assert.equal(reported.status, 1);
  assert.match(
    reported.stderr,
    /compose\.yaml:6:26: WORD has no value\.\n {2}Write it into \.env, or give --env WORD=…/,
  );
  assert.match(reported.stderr, /compose\.yaml:5:15: mail\.env, with variables, is not there\./);

  const first = stripVTControlCharacters(await onTerminal('up greeting', {}, ['hello', 'y', 'y']));
  assert.match(first, /WORD, for compose\.yaml:6: hello\n/);
  assert.match(first, /mail\.env, with variables for compose\.yaml:5, is not there\. Go on without it\? \[y\/N\] y\n/);
  assert.match(first, /greeting: running/);
  assert.equal(await readFile(join(project, '.berth', 'values.env'), 'utf8'), 'WORD="hello"\n# without "mail.env"\n');

  const second = await packed.start(['up', 'greeting', '--yes'], { cwd: folder, env }).ended;
  assert.deepEqual([second.status, /has no value|is not there\./.test(second.stderr)], [0, false]);
});
