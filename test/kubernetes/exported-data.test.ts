/** What `berth export all` writes on one machine runs on a cluster, without Berth and with its data. Needs root. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { recipes } from '../../scripts/setup/images/images.ts';
import { nodeFolder } from '../../scripts/testing/kube-node.ts';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { connectCluster } from '../../src/engine/kubernetes/cluster.ts';
import { provideDebian } from '../images/debian.ts';
import { createBerth, until } from '../scenarios/berth.ts';
import { importImages } from './node.ts';
import { startProvisioner } from './provisioner.ts';

const run = promisify(execFile);
/** The kit's own, which serves every Ingress. */
const node = '10.250.0.2';
type Entries = { entries: { name: string }[] };

/** kubectl is the node's own. */
const env = { ...process.env, PATH: `${join(nodeFolder, 'bin')}:${process.env.PATH}` };

/** What a site of the cluster answers; undefined where it does not answer so. */
function look(host: string, path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const asked = request(`http://${node}${path}`, { headers: { host }, timeout: 5_000 }, async (answer) => {
      const pieces = await answer.toArray().catch(() => []);
      resolve(answer.statusCode === 200 ? Buffer.concat(pieces).toString() : undefined);
    });
    asked.once('timeout', () => asked.destroy()).once('error', () => resolve(undefined));
    asked.end();
  });
}

test('a guestbook on PostgreSQL that was exported from one machine has its entries on a cluster', async (t) => {
  await using opened = new AsyncDisposableStack();
  const [docker, cluster] = [await connectDocker(), await connectCluster()];
  await importImages(docker, [await provideDebian(docker), ...recipes.map(({ image }) => image)]);
  const namespace = `exported-${randomBytes(4).toString('hex')}`;
  opened.use(await startProvisioner(cluster, namespace, { isDefault: true }));
  const folder = await mkdtemp(join(tmpdir(), 'berth-exported-'));
  opened.defer(() => rm(folder, { recursive: true }));
  const berth = await createBerth({}, { engine: 'docker' });
  opened.defer(() => berth.destroy());
  await berth.serve();
  const book = await berth.start(await readFile(join(import.meta.dirname, '../../examples/guestbook.yaml'), 'utf8'));
  await berth.reach(book, 'running');
  for (const name of ['Ada', 'Grace'])
    await until(`${name} has signed`, async () => {
      const body = JSON.stringify({ name, message: 'was here' });
      const answer = await berth.visit(`${book.url}/api/entries`, { method: 'POST', body }).catch(() => undefined);
      return (answer && answer.status < 300) || undefined;
    });
  const shop = join(folder, 'guestbook');
  const words = ['export', 'all', '--secrets', '--to', shop, '--app', 'guestbook', '--token', book.sessionToken];
  await run(process.execPath, [join(import.meta.dirname, '../../src/cli/bin.mjs'), ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, BERTH_SERVER: berth.settings.baseUrl.origin },
  });

  const kubectl = (...given: string[]) => run('kubectl', given, { env });
  await kubectl('create', 'namespace', namespace);
  opened.defer(async () => void (await kubectl('delete', 'namespace', namespace)));
  const { stdout } = await run('sh', ['start-kubernetes.sh', '-n', namespace], { cwd: shop, env });
  t.diagnostic(stdout.trim().replaceAll('\n', ', '));
  const text = await readFile(join(shop, 'kubernetes/application.yaml'), 'utf8');
  const objects = parseAllDocuments(text).map((document) => document.toJS());
  const { host } = objects.find(({ kind }) => kind === 'Ingress').spec.rules[0];
  const found = await until('the entries are there', async () => {
    const answer = await look(host, '/api/entries');
    return answer === undefined ? undefined : (JSON.parse(answer) as Entries).entries.map(({ name }) => name).sort();
  });
  assert.deepEqual(found, ['Ada', 'Grace']);
});
