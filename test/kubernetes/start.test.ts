/** Berth as a pod of the cluster: the image that is built here, the manifests, and the commands that bring it and take it away. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { provideBerthImage } from '../../scripts/image.ts';
import { recipes } from '../../scripts/setup/images/images.ts';
import { nodeFolder } from '../../scripts/testing/kube-node.ts';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { connectCluster } from '../../src/engine/kubernetes/cluster.ts';
import { freePort } from '../free-port.ts';
import { importImages } from './node.ts';
import { startProvisioner } from './provisioner.ts';

const scripts = join(import.meta.dirname, '../../scripts');
const tag = randomBytes(6).toString('hex');
const image = `berth-test-start:${tag}`;
const patienceMs = 15 * 60_000;
const opened = new AsyncDisposableStack();
/** kubectl is the node's own. */
const env = { ...process.env, PATH: `${join(nodeFolder, 'bin')}:${process.env.PATH}` };

let storageClass: string;
let running: ChildProcess | undefined;

before(async () => {
  const [docker, cluster] = [await connectDocker(), await connectCluster()];
  await provideBerthImage({ name: image });
  opened.defer(() => docker.getImage(image).remove());
  const examples = recipes.map((recipe) => recipe.image);
  await importImages(docker, [image, ...examples]);
  const storage = opened.use(await startProvisioner(cluster, `start-${tag}`));
  storageClass = storage.name;
});
after(async () => {
  running?.kill('SIGKILL');
  await runScript('down-kubernetes.ts', '--yes').catch(() => {});
  await opened.disposeAsync();
});

function startScript(name: string, ...words: string[]): { child: ChildProcess; said: () => string } {
  const child = spawn(process.execPath, [join(scripts, name), ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk;
    });
  return { child, said: () => said };
}

async function runScript(name: string, ...words: string[]): Promise<string> {
  const { child, said } = startScript(name, ...words);
  const [code] = await once(child, 'close');
  assert.equal(code, 0, said());
  return said();
}

/** The page at a URL, requested at this machine's port; undefined without an answer. */
async function look(url: URL): Promise<string | undefined> {
  return await new Promise((resolve) => {
    const options = { port: url.port, headers: { host: url.host }, timeout: 10_000 };
    const requested = request('http://127.0.0.1', options, async (answer) => {
      const chunks = await answer.toArray().catch(() => []);
      resolve(answer.statusCode === 200 ? Buffer.concat(chunks).toString() : undefined);
    });
    requested.once('timeout', () => requested.destroy()).once('error', () => resolve(undefined));
    requested.end();
  });
}

async function until<T>(what: string, find: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const deadline = AbortSignal.timeout(patienceMs);
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    assert.ok(!deadline.aborted, what);
    await delay(500);
  }
}

test('one command brings Berth and the guestbook to a cluster, a pod that is deleted has a successor, and another command removes it all', async () => {
  const port = await freePort();
  const examples = recipes.map((recipe) => recipe.image).join(',');
  const settings = [`BERTH_LOCAL_IMAGES=${examples}`, `BERTH_STORAGE_CLASS=${storageClass}`];
  const { child, said } = startScript(
    'start-kubernetes.ts',
    ...['--yes', '--image', image, '--port', String(port)],
    ...settings.flatMap((each) => ['--set', each]),
  );
  running = child;
  const url = await until('the example is live', () => {
    assert.equal(child.exitCode, null, said());
    const [, address] = /guestbook is live at (\S+)/.exec(said()) ?? [];
    return address === undefined ? undefined : new URL(address);
  });
  assert.match((await look(url)) ?? '', /<title>Guestbook<\/title>/);

  const cluster = await connectCluster();
  const pods = '/api/v1/namespaces/berth-system/pods';
  const { items } = await cluster.request<{ items: { metadata: { name: string } }[] }>('GET', pods);
  await cluster.remove('Pod', items[0]!.metadata.name, { namespace: 'berth-system' });
  await until('the pod is gone', async () =>
    (await cluster.find('Pod', items[0]!.metadata.name, 'berth-system')) ? undefined : true,
  );
  await until('its successor serves the guestbook', () => look(url));

  child.kill('SIGINT');
  await once(child, 'close');
  assert.match(await runScript('down-kubernetes.ts', '--yes'), /Everything is removed/);
  assert.equal(await cluster.find('Namespace', 'berth-system'), undefined);
});
