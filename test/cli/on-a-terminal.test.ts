/** `berth` as it is installed, on a terminal of its own: what people see there, and programs do not. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
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

/** What a terminal gets that `script` makes, with line feeds as a program writes them. */
async function onTerminal(words: string, more: Record<string, string> = {}): Promise<string> {
  const command = `'${process.execPath}' '${packed.program}' ${words}`;
  const argv = ['--quiet', '--return', '--command', command, '/dev/null'];
  const { stdout } = await promisify(execFile)('script', argv, { cwd: folder, env: { ...env, ...more } });
  return stdout.replaceAll('\r\n', '\n');
}

test('a claim shows its link as a QR code too, on a terminal alone', async () => {
  await onTerminal('deploy app.yaml');
  const [link, ...shown] = (await onTerminal('claim')).split('\n');
  assert.match(link!, /^http:\/\/\S+\/claim\/claim_\S+$/);
  const code = renderUnicodeCompact(link!, { border: 2 }).split('\n');
  assert.deepEqual(shown.slice(0, code.length), code);
  assert.match(shown[code.length]!, /^Whoever opens this link/);

  const told = await packed.start(['claim'], { cwd: folder, env }).ended;
  assert.match(told.stdout, /^http:\/\/\S+\n$/);
  assert.equal(typeof JSON.parse(await onTerminal('claim --json 2>&-')).claimToken, 'string');
});

test('colours are for a terminal, unless NO_COLOR is set', async () => {
  assert.ok((await onTerminal('validate app.yaml')).includes('\x1b[32mvalid\x1b[39m'));
  assert.ok(!(await onTerminal('validate app.yaml', { NO_COLOR: '1' })).includes('\x1b'));
});
