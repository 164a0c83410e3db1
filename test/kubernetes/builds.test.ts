/** From source code to a live site on a cluster: the builder is a Job in the namespace of its deployment. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Cluster, connectCluster, pathOf } from '../../src/engine/kubernetes/cluster.ts';
import { namespaceName } from '../../src/engine/kubernetes/names.ts';
import { programImage } from '../contract/image.ts';
import { type Registry, startRegistry } from '../contract/registry.ts';
import { type Berth, createBerth, type Started, until } from '../scenarios/berth.ts';
import { listing } from '../support/images.ts';
import { sourceArchive } from '../support/source-archive.ts';
import { installBuilderProfile, removeBuilderProfile } from './node.ts';

let registry: Registry;
let berth: Berth;
let cluster: Cluster;
const opened = new AsyncDisposableStack();

before(async () => {
  const options = { architecture: 'amd64', foreignArchitecture: 'none', needsLogin: false };
  registry = await startRegistry({ ...options, program: await programImage() });
  opened.defer(() => registry.close());
  // One may be left from a test that was killed.
  await removeBuilderProfile();
  cluster = opened.use(await connectCluster());
  berth = await createBerth(listing(registry), { engine: 'kubernetes' });
  opened.defer(() => berth.destroy());
  await berth.serve();
});
after(() => opened.disposeAsync());

const dockerfile = (...lines: string[]) =>
  [
    `FROM ${registry.host}/program:1`,
    ...lines,
    'COPY words /www/words',
    'EXPOSE 8080',
    'ENTRYPOINT ["/bin/httpd", "-f", "-p", "8080", "-h", "/www"]',
  ].join('\n');

async function send(path: string, files: Record<string, string>): Promise<Started> {
  const url = `http://localhost:${berth.settings.port}${path}`;
  const headers = { 'content-type': 'application/gzip', connection: 'close' };
  const answer = await berth.visit(url, { method: 'POST', headers, body: await sourceArchive(files) });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const start = (name: string, files: Record<string, string>) => send(`/startUserDeployment?name=${name}`, files);

const logOf = async ({ sessionToken, applicationName }: Started) =>
  (
    await berth.get(`/getDeploymentLogs?applicationName=${applicationName}&build=true`, {
      authorization: `Bearer ${sessionToken}`,
    })
  ).text;

const page = async ({ url }: Started, path: string) => (await berth.visit(`${url}/${path}`)).text.trim();

async function buildersOf(started: Started): Promise<number> {
  const { id } = await berth.row(started);
  const path = pathOf('Job', undefined, namespaceName(id));
  const { items } = await cluster.request<{ items: object[] }>('GET', path);
  return items.length;
}

test('without the seccomp profile on the nodes a build fails, and says what the operator has to do', async () => {
  const started = await start('without', { Dockerfile: dockerfile('RUN true'), words: 'never' });
  const { message } = await berth.reach(started, 'failed');
  assert.match(message, /its node does not have the seccomp profile of builders/);
  assert.match(message, /Run on Kubernetes/);
  assert.equal(await buildersOf(started), 0);
  await berth.remove(started);
  opened.use(await installBuilderProfile());
});

test('a folder with a Dockerfile is live after one request, and its update uses the layers of the first build', async () => {
  const step = 'RUN echo "made by $(id -u)" > /www/made; ! touch /sys/kernel/x';
  const started = await start('shop', { Dockerfile: dockerfile(step), words: 'hello' });
  await berth.reach(started, 'running');
  assert.deepEqual([await page(started, 'words'), await page(started, 'made')], ['hello', 'made by 0']);
  assert.match(await logOf(started), /STEP 2\/\d+: RUN echo/);
  const served = registry.layersServed();
  await send(`/updateUserDeployment?sessionToken=${started.sessionToken}&name=shop`, {
    Dockerfile: dockerfile(step),
    words: 'goodbye',
  });
  await berth.eventsUntil(started, /revision 2 is running/);
  assert.equal(await page(started, 'words'), 'goodbye');
  assert.match(await logOf(started), /Using cache/);
  assert.equal(registry.layersServed(), served);
  assert.equal(await buildersOf(started), 0);
  await berth.remove(started);
});

test('a build whose deployment is removed ends, and one whose service is killed is begun again', async () => {
  const removed = await start('removed', { Dockerfile: dockerfile('RUN sleep 600'), words: 'never' });
  await until('the build runs', async () => /sleep 600/.test(await logOf(removed)) || undefined);
  await berth.remove(removed);
  const started = await start('again', { Dockerfile: dockerfile('RUN sleep 5'), words: 'again' });
  await until('the build runs', async () => /sleep 5/.test(await logOf(started)) || undefined);
  const ids = [(await berth.row(removed)).id, (await berth.row(started)).id];
  await berth.end('SIGKILL');
  await berth.serve();
  await berth.reach(started, 'running');
  assert.equal(await page(started, 'words'), 'again');
  assert.equal(await buildersOf(started), 0);
  await berth.remove(started);
  await until('nothing is left of either', async () => {
    const { owned } = await berth.inventory();
    return !owned.some(({ deploymentId }) => ids.includes(deploymentId)) || undefined;
  });
});
