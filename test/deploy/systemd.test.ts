/** The units of `deploy/systemd`, as systemd itself reads them; no systemd has to run. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const units = join(root, 'deploy/systemd');
const run = promisify(execFile);

/** From 0 to 10, as `systemd-analyze security` counts; for the whole of a service that is root on the machine's own network. */
const exposureTimesTen = { 'berth.service': 53, 'berth-firewall.service': 35, 'berth-backup.service': 47 };

for (const [name, most] of Object.entries(exposureTimesTen))
  test(`${name} leaves no more exposed than was looked at`, async () => {
    const args = ['security', '--offline=true', `--threshold=${most}`, '--no-pager', join(units, name)];
    const { stdout } = await run('systemd-analyze', args).catch((error: { stdout: string }) => error);
    const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    assert.ok(exposure * 10 <= most, stdout);
  });

test('systemd reads every unit without a complaint', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-units-'));
  t.after(() => rm(folder, { recursive: true }));
  await cp(units, folder, { recursive: true });
  const names = await readdir(folder);
  // Where it is not installed, its programs are those of this folder.
  for (const name of names) {
    const text = (await readFile(join(folder, name), 'utf8')).replaceAll('/opt/berth', root);
    await writeFile(join(folder, name), text.replace('/usr/sbin/nft', '/bin/true'));
  }
  const { stderr } = await run('systemd-analyze', ['verify', '--man=no', ...names.map((name) => join(folder, name))]);
  const ours = stderr.split('\n').filter((line) => line.includes('berth'));
  assert.deepEqual(ours, []);
});

test('the service has the mounts of the machine, and HAProxy outlives it', async () => {
  const text = await readFile(join(units, 'berth.service'), 'utf8');
  assert.match(text, /^KillMode=process$/m);
  // Each of these gives it mounts of its own: then no container would find the file system of its volume.
  const hiding =
    /^(Protect(System|Home|KernelTunables|KernelModules|KernelLogs|ControlGroups|Proc)|Private(Tmp|Devices|Mounts|Users|Network)|(ReadWrite|ReadOnly|Inaccessible|Exec|NoExec)Paths|Root(Directory|Image)|(Temporary|Bind)\S*|MountFlags|DynamicUser|ProcSubset)=/m;
  assert.doesNotMatch(text, hiding);
});
