import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { webYaml } from './applications.ts';
import { type Berth, createBerth, until } from './berth.ts';
import { onDocker } from './engine-of-tests.ts';

const restarted = onDocker('the test restarts containers by Docker');
let berth: Berth;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(async () => await berth.destroy());

test('a configuration becomes a live URL, is updated under the same URL, extended and removed', async () => {
  const startedAt = performance.now();
  const hello = await berth.start(webYaml('hello', 'one'));
  await until('the site answers', async () => {
    const { status, text, headers } = await berth.visit(hello.url);
    if (status !== 503) assert.match(text, /^one at/);
    else assert.ok(Number(headers['retry-after']) > 0);
    return status !== 503;
  });
  await berth.reach(hello, 'running');
  assert.equal((await berth.visit(`${hello.url}/a?b=c`)).text, `one at ${hello.url}/a?b=c`);

  const answers: string[] = [];
  await Promise.all([
    until('the second revision answers', async () => {
      const { status, text } = await berth.visit(hello.url);
      assert.equal(status, 200, text);
      answers.push(text);
      return text.startsWith('two');
    }),
    berth.update(hello, webYaml('hello', 'two')),
  ]);
  assert.deepEqual(
    [...new Set(answers)],
    ['one', 'two'].map((says) => `${says} at ${hello.url}/`),
    'the first revision served until the second was ready',
  );
  await berth.reach(hello, 'running');

  const extended = await berth.postJson('/extendDeployment', hello);
  const [, left] = /^Application hello has been extended\. Environment will expire in (\d+) minutes\./.exec(
    extended.body,
  )!;
  // Two hours, and two more, minus the elapsed time.
  const passed = (performance.now() - startedAt) / 60_000;
  assert.ok(Number(left) <= 240 && Number(left) >= 240 - passed, extended.body);

  await berth.remove(hello);
  await until('the site is gone', async () => (await berth.visit(hello.url)).status === 410);
  await until('it is removed completely', async () => (await berth.inventory()).owned.length === 0);
  const list = await berth.get(`/getReservations?sessionToken=${hello.sessionToken}`);
  assert.equal(list.status, 404);
});

test('the guestbook keeps its entries through an update and a restart of everything', restarted, async () => {
  const yaml = await readFile('examples/guestbook.yaml', 'utf8');
  const guestbook = await berth.start(yaml);
  await berth.reach(guestbook, 'running');
  const page = await berth.visit(guestbook.url);
  assert.match(page.text, /<title>Guestbook/);
  const entry = { name: 'Ada', message: "it's <b>here</b>; -- ok" };
  const added = await berth.visit(`${guestbook.url}/api/entries`, { method: 'POST', body: JSON.stringify(entry) });
  assert.equal(added.status, 201, added.text);

  // Every pod changes, so every container is replaced.
  await berth.update(
    guestbook,
    yaml.replaceAll('servicePorts:', 'resources: { limits: { cpu: "2" } }\n      servicePorts:'),
  );
  await until('the update is done', async () => (await berth.status(guestbook)).state === 'running');
  await assertHasEntry();

  const { engine } = await until('only the new revision is left', async () => {
    const containers = await containersOf(berth);
    return containers.engine.length === 4 ? containers : undefined;
  });
  await berth.end('SIGKILL');
  for (const container of engine) await container.stop({ t: 1 });
  await berth.serve();
  await until('the guestbook answers again', async () => {
    const { status } = await berth.visit(`${guestbook.url}/api/entries`).catch(() => ({ status: 0 }));
    return status === 200;
  });
  await assertHasEntry();

  async function assertHasEntry() {
    const { body } = await until('the entries can be read', async () => {
      const answer = await berth.visit(`${guestbook.url}/api/entries`);
      return answer.status === 200 ? answer : undefined;
    });
    assert.deepEqual([body.entries[0].name, body.entries[0].message], [entry.name, entry.message]);
  }
});

test('applications stay reachable while the service is stopped, and are taken up again by the next', async () => {
  const steady = await berth.start(webYaml('steady', 'here'));
  await berth.reach(steady, 'running');
  await berth.end('SIGTERM');
  assert.equal((await berth.visit(steady.url)).status, 200);
  const api = await berth.get('/healthz');
  assert.equal(api.status, 503);
  await berth.serve();
  assert.equal((await berth.status(steady)).state, 'running');
  assert.equal((await berth.visit(steady.url)).status, 200);
});

test('a host that nothing was deployed at has a page of its own', async () => {
  const { port } = berth.settings;
  const json = await berth.visit(`http://nobody-here-ever.localhost:${port}/`);
  assert.deepEqual([json.status, typeof json.body.error], [404, 'string']);
  const html = await berth.visit(`http://nobody-here-ever.localhost:${port}/`, { headers: { accept: 'text/html' } });
  assert.equal(html.status, 404);
  assert.match(html.text, /<!doctype html>/i);
});

async function containersOf({ inventory }: Berth) {
  const { default: Docker } = await import('dockerode');
  const docker = new Docker();
  const { owned } = await inventory();
  return { engine: owned.filter(({ kind }) => kind === 'workload').map(({ id }) => docker.getContainer(id)) };
}
