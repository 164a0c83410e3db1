/**
 * The data of an application on a cluster, taken elsewhere: by an export that plain kubectl starts, or that is started on
 * Berth again, and by a backup of the installation, after which everything is deleted and comes back.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { type Cluster, connectCluster, pathOf } from '../../src/engine/kubernetes/cluster.ts';
import { copyKey } from '../../src/engine/kubernetes/manifests/marks.ts';
import { namespaceName } from '../../src/engine/kubernetes/names.ts';
import type { Found } from '../../src/engine/kubernetes/objects.ts';
import { buildImage } from '../contract/image.ts';
import { provideDebian } from '../images/debian.ts';
import { shellYaml } from '../scenarios/applications.ts';
import { type Berth, createBerth, type Started, until } from '../scenarios/berth.ts';
import { claim } from '../scenarios/claimed.ts';
import { copiesIn } from './copies-in.ts';
import { exportAll, startExported } from './exported-application.ts';
import { importImages } from './node.ts';

const run = promisify(execFile);
const blobBytes = 2 ** 20;

/** No file of it has holes, which no image has. */
const notesScript = `[ -f /data/blob ] || { head -c 100000 /dev/urandom >/data/blob; mkdir -p /data/deep/er; echo hers >/data/deep/er/file
  ln -s er/file /data/deep/link; chown -R 1234:567 /data/deep; chmod 750 /data/deep; chmod 4711 /data/deep/er/file; }
{ md5sum </data/blob; stat -c '%u:%g %a' /data/deep /data/deep/er/file; readlink /data/deep/link; cat /data/deep/link; } >/data/has
exec busybox httpd -f -p 8080 -h /data`;

const notes = (image: string) =>
  shellYaml('notes', image, notesScript, ['{ name: data, size: 16Mi, mountPath: /data }']);

let folder: string;
let image: string;
let berth: Berth;
let cluster: Cluster;
let app: Started;
let namespace: string;
/** The content of its volumes since its first start. */
let has: string;

/** The first start writes, with owners, modes, links and a hole; each one says what is there. */
const keeperScript = `[ -f /data/blob ] || { head -c ${blobBytes} /dev/urandom >/data/blob; truncate -s 8M /data/hole; mkdir /more/own
  chmod 2750 /more/own; echo hers >/more/own/file; ln -s own/file /more/link; chown -R 1234:567 /more/own; chmod 4711 /more/own/file; }
{ md5sum </data/blob; stat -c '%s' /data/hole; stat -c '%u:%g %a' /more/own /more/own/file; readlink /more/link; cat /more/own/file; } >/data/has
exec busybox httpd -f -p 8080 -h /data`;

const yaml = (image: string) =>
  shellYaml('keeper', image, keeperScript, [
    '{ name: data, size: 32Mi, mountPath: /data }',
    '{ name: more, size: 16Mi, mountPath: /more }',
  ]);

before(async () => {
  const [docker, connected] = [await connectDocker(), await connectCluster()];
  cluster = connected;
  image = await buildImage(docker, { name: 'contract' });
  const copier = await provideDebian(docker);
  await importImages(docker, [image, copier]);
  folder = await mkdtemp(join(tmpdir(), 'berth-elsewhere-'));
  await writeFile(join(folder, 'passphrase'), 'correct horse battery', { mode: 0o600 });
  // No place for snapshots is configured, so none are taken.
  const own = { BERTH_PROBE_IMAGE: copier, BERTH_LOCAL_IMAGES: `berth-test-*,${copier}` };
  berth = await createBerth(own, { engine: 'kubernetes', store: 'sqlite' });
  await berth.serve();
  app = await berth.start(yaml(image));
  await berth.reach(app, 'running');
  await claim(berth, app);
  namespace = namespaceName((await berth.row(app)).id);
  has = await whatItHas(app);
  assert.match(has, /\n8388608\n1234:567 2750\n1234:567 4711\nown\/file\nhers$/);
});
after(async () => {
  await berth?.destroy();
  await rm(folder, { recursive: true, force: true });
});

async function whatItHas({ url }: Pick<Started, 'url'>): Promise<string> {
  return await until('it answers', async () => {
    const answer = await berth.visit(`${url}/has`).catch(() => undefined);
    return answer?.status === 200 ? answer.text.trim() : undefined;
  });
}

const place = () => join(folder, 'kept');
const words = (...given: string[]) => [
  ...['src/cli/bin.mjs', 'admin', ...given],
  ...['--passphrase-file', join(folder, 'passphrase')],
];
const admin = (...given: string[]) => run(process.execPath, words(...given), { env: berth.environment });

async function nothingIsLeft(): Promise<void> {
  await until('nothing is left of copies', async () => (await copiesIn(cluster, namespace)).length === 0 || undefined);
}

test('an export has the data, and plain kubectl starts it with them; what was exported runs on', async (t) => {
  const exportedTo = await exportAll(berth, app, folder);
  await nothingIsLeft();
  assert.deepEqual((await readdir(join(exportedTo, 'volumes'))).sort(), ['web-data.tar', 'web-more.tar']);
  assert.doesNotMatch(await readFile(join(exportedTo, 'README.md'), 'utf8'), /The data of the volume/);
  assert.equal(await whatItHas(app), has);
  await using exported = await startExported(cluster, exportedTo);
  t.diagnostic(exported.said.replaceAll('\n', ', '));
  assert.equal((await until('it answers', () => exported.look('/has'))).trim(), has);
});

test('an exported application that is started again on the cluster has its data before its first start, after any kill', async () => {
  const before = await berth.start(notes(image));
  await berth.reach(before, 'running');
  const had = await whatItHas(before);
  assert.match(had, /\n1234:567 750\n1234:567 4711\ner\/file\nhers$/);
  const exportedTo = await exportAll(berth, before, folder);
  await berth.remove(before);
  const env = { PATH: process.env.PATH, HOME: folder, BERTH_SERVER: berth.settings.baseUrl.origin };
  const cli = async (...words: string[]) => {
    const program = join(import.meta.dirname, '../../src/cli/bin.mjs');
    return await run(process.execPath, [program, ...words], { cwd: exportedTo, env }).catch((error) => {
      throw new Error(`${error.stdout}${error.stderr}\n${berth.log().slice(-4000)}`);
    });
  };
  const up = cli('up');
  await until('its volume is being filled', async () => (await beginnings()).length > 0 || undefined);
  await berth.end('SIGKILL');
  await berth.serve();
  const { stdout } = await up;
  const [url = ''] = /https?:\/\/\S+/.exec(stdout) ?? [];
  assert.equal(await whatItHas({ url }), had, stdout);
  assert.deepEqual(await beginnings(), []);
  await cli('remove', '--yes');
});

/** Claims that are prepared for new volumes, of any deployment. */
async function beginnings(): Promise<string[]> {
  const query = { labelSelector: copyKey };
  const { items } = await cluster.request<{ items: Found[] }>('GET', pathOf('PersistentVolumeClaim'), { query });
  return items.flatMap(({ metadata: { name, labels } }) => (labels?.[copyKey]?.startsWith('begin-') ? [name] : []));
}

test('of a backup that is killed while it copies and no service runs, the next one starts who was stopped, and nothing is left', async () => {
  const isStopped = async () =>
    (await copiesIn(cluster, namespace)).some((name) => name.startsWith('Deployment ')) || undefined;
  await berth.end('SIGTERM');
  const backup = spawn(process.execPath, words('backup', '--to', place()), { env: berth.environment, stdio: 'ignore' });
  await until('its pod is stopped', async () => (await isStopped()) || hasEnded(backup));
  backup.kill('SIGKILL');
  if (!hasEnded(backup)) await once(backup, 'exit');
  assert.equal(backup.signalCode, 'SIGKILL');
  await berth.serve();
  await nothingIsLeft();
  assert.equal(await whatItHas(app), has);
});

function hasEnded({ exitCode, signalCode }: ChildProcess): true | undefined {
  return exitCode !== null || signalCode !== null || undefined;
}

test('after everything was deleted, a backup brings back the application at its address, with its data', async (t) => {
  const made = await admin('backup', '--to', place());
  assert.match(made.stdout, /the volumes of 1 deployments; /);
  t.diagnostic(made.stderr.trim());
  for (const entry of await readdir(place(), { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      assert.ok(!(await readFile(join(entry.parentPath, entry.name))).includes('web-data'), entry.name);
  await nothingIsLeft();

  await run(process.execPath, ['scripts/down.ts', '--yes'], { env: berth.environment });
  await berth.end('SIGKILL');
  const { dataDir } = berth.settings;
  for (const name of await readdir(dataDir)) await rm(join(dataDir, name), { recursive: true });
  const back = await admin('restore', '--from', place());
  assert.match(back.stdout, /^2 volumes have their data again\.$/m);
  await berth.serve();
  await berth.reach(app, 'running');
  assert.equal(await whatItHas(app), has);
  await nothingIsLeft();
  assert.deepEqual((await berth.inventory()).orphans, []);
});
