/** Options of routes, from the document to what the replicas receive. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { webYaml } from './applications.ts';
import { type Berth, createBerth, type Started } from './berth.ts';

let berth: Berth;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(async () => await berth.destroy());

/** Three replicas that answer with a name of their own and the path that they receive. */
const yaml = (fields: string[]) =>
  webYaml('routed', 'x', ['replicas: 3', ...fields])
    .replace('path: /', 'path: /api')
    .replace('const { SAYS, OWN_URL } = process.env;', 'const id = Math.random();')
    .replace('${SAYS} at ${OWN_URL}${request.url}', '${id} ${request.url}');

/** As a client with an address of its own. */
async function visit({ url }: Started, path: string, localAddress = '127.0.0.1'): Promise<string> {
  const { port } = berth.settings;
  const headers = { host: new URL(url).host };
  return await new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers, localAddress, agent: false }, (response) =>
      resolve(text(response)),
    )
      .on('error', reject)
      .end();
  });
}

/** The replicas that answered twenty requests of each client, and the paths that they received. */
async function answersFrom(app: Started, clients: readonly string[]) {
  const answers = await Promise.all(
    clients.map(async (client) => {
      const each = Array.from({ length: 20 }, () => visit(app, '/api/users?q=1', client));
      return (await Promise.all(each)).map((answer) => answer.split(' '));
    }),
  );
  return {
    replicasOfClients: answers.map((each) => new Set(each.map(([replica]) => replica)).size),
    replicas: new Set(answers.flat().map(([replica]) => replica)).size,
    paths: [...new Set(answers.flat().map(([, path]) => path))],
  };
}

test('an update with options of a route changes what replicas receive and which one answers, and restarts none', async () => {
  const clients = Array.from({ length: 12 }, (_, index) => `127.0.0.${index + 2}`);
  const app = await berth.start(yaml([]));
  await berth.reach(app, 'running');
  const before = await answersFrom(app, clients);
  assert.deepEqual([before.replicas, before.paths], [3, ['/api/users?q=1']]);

  const changed = yaml(['stripPrefix: true', 'sticky: true']);
  const { body } = await berth.postYaml(`/previewUserDeployment?sessionToken=${app.sessionToken}`, changed);
  assert.deepEqual(
    body.pods.map(({ change, because }: { change: string; because: string }) => [change, because]),
    [['rerouted', 'its public path (/api → /api, stripPrefix, sticky)']],
  );
  await berth.update(app, changed);
  await berth.eventsUntil(app, /revision 2 is running/);
  const after = await answersFrom(app, clients);
  assert.deepEqual(after.paths, ['/users?q=1']);
  assert.ok(
    after.replicasOfClients.every((count) => count === 1),
    String(after.replicasOfClients),
  );
  assert.ok(after.replicas > 1);
  await berth.remove(app);
});
