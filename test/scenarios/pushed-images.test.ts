/** From an image that only this machine's Docker has to a live site: Docker pushes it to Berth, whose engine has it from there. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Docker from 'dockerode';
import { webYaml } from './applications.ts';
import { type Berth, createBerth } from './berth.ts';
import { engineOfTests, onDocker } from './engine-of-tests.ts';

const copiesOfEngine = onDocker('what a node has pulled it keeps or drops by itself');
const docker = new Docker();
let berth: Berth;
const made: string[] = [];
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(async () => {
  await berth.destroy();
  for (const name of made)
    await docker
      .getImage(name)
      .remove()
      .catch(() => {});
});

const yamlOf = (name: string, image: string) => `application:
  name: ${name}
  pods:
    - name: web
      image: ${image}
      path: /
      servicePorts: [80]
`;

async function push(token: string, name: string): Promise<string> {
  const { port } = berth.settings;
  // The refusal names the first part of the names.
  const refused = await berth.get('/v2/any/name/tags/list', { authorization: `Bearer ${token}` });
  const [, namespace] = /named localhost:\d+\/(\w+)\//.exec(refused.body.errors[0].message)!;
  const repo = `localhost:${port}/${namespace}/${name}`;
  await docker.getImage('nginx:1').tag({ repo, tag: '1' });
  made.push(`${repo}:1`);
  const stream = await docker
    .getImage(`${repo}:1`)
    .push({ authconfig: { username: 'me', password: token, serveraddress: '' } });
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(stream, (error, lines: { error?: string }[]) => {
      const fault = lines?.find((line) => line.error)?.error;
      if (error || fault) reject(error ?? new Error(fault));
      else resolve();
    });
  });
  return repo;
}

test('an image is pushed through the edge, deployed by its short form, and runs; to others it does not exist', async () => {
  const first = await berth.start(webYaml('first', 'never', []));
  const repo = await push(first.sessionToken, 'site');
  const answer = await berth.postYaml(
    `/startUserDeployment?sessionToken=${first.sessionToken}`,
    yamlOf('site', './site:1'),
  );
  assert.equal(answer.status, 200, answer.text);
  const started = answer.body;
  const status = await berth.reach(started, 'running');
  assert.equal((await berth.visit(started.url)).status, 200);
  // The owner sees the name as pushed.
  assert.equal(status.pods[0].image, './site:1');
  const events = await berth.eventsUntil(started, /is running/);
  // Nodes of a cluster pull it by themselves, as its pod starts.
  if (engineOfTests === 'docker') assert.ok(events.some(({ message }) => message.startsWith('pull ./site:1')));
  assert.doesNotMatch(JSON.stringify([status, events]), /pushed\.invalid/);

  const stranger = await berth.postYaml('/startUserDeployment', yamlOf('thief', `${repo}:1`));
  assert.deepEqual([stranger.status, stranger.body.code], [400, 'invalid_configuration']);
  const namespace = repo.split('/')[1];
  // Uses the engine's own name, which documents must not contain.
  const thief = await berth.start(yamlOf('thief', `pushed.invalid/${namespace}/site:1`));
  const { message } = await berth.reach(thief, 'failed');
  assert.match(message, /does not belong to this application/);
  await berth.remove(thief);
  await berth.remove(started);
  await berth.remove(first);
});

test('with the installation go the copies of pushed images that the engine has', copiesOfEngine, async () => {
  const namespaces = made.map((name) => name.split('/')[1]!);
  const copies = async () => {
    const tags = (await docker.listImages()).flatMap(({ RepoTags }) => RepoTags ?? []);
    return tags.filter((tag) => namespaces.some((each) => tag.includes(`/pushed.invalid/${each}/`)));
  };
  assert.equal((await copies()).length, 1);
  await berth.destroy();
  assert.deepEqual(await copies(), []);
});
