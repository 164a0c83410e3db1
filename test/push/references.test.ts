/** Documents that name images which were pushed. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { digestOf } from '../../src/lib/digest.ts';
import { deploymentById } from '../../src/store/deployments.ts';
import { isGranted } from '../../src/store/image-access.ts';
import { settledImages } from '../../src/store/revisions.ts';
import { shopYaml } from '../support/api.ts';
import { type ImageRegistry, imageManifest, ociImage, openImageRegistry } from '../support/image-registry.ts';

let registry: ImageRegistry;
type Pusher = Awaited<ReturnType<ImageRegistry['pusher']>>;
let owner: Pusher;
let stranger: Pusher;
let names = 0;
before(async () => {
  registry = await openImageRegistry();
  owner = await registry.pusher();
  stranger = await registry.pusher();
});
after(() => registry.close());

/** A unique image, and its digest. */
async function push({ token, namespace }: Pusher, tag: string) {
  const config = Buffer.from(JSON.stringify({ name: names++ }));
  const uploads = `/v2/${namespace}/api/blobs/uploads/?digest=${digestOf(config)}`;
  assert.equal((await registry.ask('POST', uploads, { token, body: config })).status, 201);
  const body = imageManifest(config, []);
  const headers = { 'content-type': ociImage };
  assert.equal(
    (await registry.ask('PUT', `/v2/${namespace}/api/manifests/${tag}`, { token, body, headers })).status,
    201,
  );
  return digestOf(body);
}

const yamlOf = (image: string, name = `app-${names++}`) => shopYaml.replace('shop', name).replace('nginx:1', image);
const start = ({ token }: Pusher, yaml: string) =>
  registry.api.postYaml(`/startUserDeployment?sessionToken=${token}`, yaml);

async function runsFrom(deploymentId: string, revision: number): Promise<string[]> {
  return Object.values(await settledImages(registry.service.db, deploymentId, revision));
}

test('however it is named, a revision runs from the very image that was pushed, and only its deployment may have it', async () => {
  const digest = await push(owner, '1');
  const repository = `pushed.invalid/${owner.namespace}/api`;
  const forms: [image: string, tag: string][] = [
    ['./api:1', ':1'],
    [`${owner.namespace}/api:1`, ':1'],
    [`localhost:8080/${owner.namespace}/api:1`, ':1'],
    [`./api@${digest}`, ''],
  ];
  for (const [image, tag] of forms) {
    const { status, body } = await start(owner, yamlOf(image));
    assert.equal(status, 200, JSON.stringify(body));
    const deploymentId = registry.api.woken.at(-1)!;
    assert.deepEqual(await runsFrom(deploymentId, 1), [`${repository}${tag}@${digest}`], image);
    assert.ok(await isGranted(registry.service.db, deploymentId, repository));
  }
});

test('a tag that has moved is another image for the next revision, and none for the present one', async () => {
  const first = await push(owner, 'moving');
  const yaml = yamlOf('./api:moving');
  await start(owner, yaml);
  const deploymentId = registry.api.woken.at(-1)!;
  const second = await push(owner, 'moving');
  await registry.api.postYaml(`/updateUserDeployment?sessionToken=${owner.token}`, yaml);
  const digests = async (revision: number) =>
    (await runsFrom(deploymentId, revision)).map((each) => each.split('@')[1]);
  assert.deepEqual([await digests(1), await digests(2)], [[first], [second]]);
});

test('a rollback to a revision uses its image, even if its tag means another one now, until that is removed', async () => {
  const first = await push(owner, 'back');
  const yaml = yamlOf('./api:back', 'back');
  await start(owner, yaml);
  const deploymentId = registry.api.woken.at(-1)!;
  await push(owner, 'back');
  await registry.api.postYaml(`/updateUserDeployment?sessionToken=${owner.token}`, yaml);
  await registry.service.db
    .updateTable('deployments')
    .set({ servingRevision: 2 })
    .where('id', '=', deploymentId)
    .execute();

  const history = await registry.api.get(`/getDeploymentRevisions?applicationName=back&sessionToken=${owner.token}`);
  assert.deepEqual(history.body.revisions[0].changes, { added: [], changed: ['web'], removed: [] });
  const back = { applicationName: 'back', sessionToken: owner.token, revision: 1 };
  const dry = await registry.api.postJson('/rollbackUserDeployment?dryRun=true', back);
  assert.deepEqual(
    dry.body.pods.map(({ name, change }: { name: string; change: string }) => [name, change]),
    [['web', 'replaced']],
  );
  assert.equal((await registry.api.postJson('/rollbackUserDeployment', back)).status, 200);
  assert.deepEqual(await runsFrom(deploymentId, 3), [`pushed.invalid/${owner.namespace}/api:back@${first}`]);

  const manifest = `/v2/${owner.namespace}/api/manifests/${first}`;
  assert.equal((await registry.ask('DELETE', manifest, { token: owner.token })).status, 202);
  const refused = await registry.api.postJson('/rollbackUserDeployment', back);
  assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_configuration']);
  assert.match(refused.body.error, /has been removed/);
});

test("a missing image and another owner's image are refused in the same words, with what to push", async () => {
  await push(owner, 'secret');
  const deployments = registry.api.woken.length;
  for (const image of ['./api:none', `${owner.namespace}/api:secret`, `localhost:8080/${owner.namespace}/api:secret`]) {
    const { status, body } = await start(stranger, yamlOf(image));
    assert.deepEqual([status, body.code], [400, 'invalid_configuration']);
    assert.match(body.error, /was not pushed here, or belongs to another user/);
    assert.match(body.hint, new RegExp(`docker push localhost:8080/${stranger.namespace}/api:`));
    assert.equal(body.errors.length, 1);
  }
  const { body } = await registry.api.postYaml('/startUserDeployment', yamlOf('./api:secret'));
  assert.match(body.hint, /POST \/createSession/);
  assert.equal(registry.api.woken.length, deployments);
});

test('an update may not name what a start may not', async () => {
  await push(owner, 'later');
  const yaml = yamlOf('nginx:1', 'innocent');
  await start(stranger, yaml);
  const id = registry.api.woken.at(-1)!;
  const update = yaml.replace('nginx:1', `${owner.namespace}/api:later`);
  const { status } = await registry.api.postYaml(`/updateUserDeployment?sessionToken=${stranger.token}`, update);
  assert.equal(status, 400);
  assert.equal((await deploymentById(registry.service.db, id))?.revision, 1);
});

test('who has nothing yet gets a session, pushes with its token, and starts what runs from that', async () => {
  const { body: session } = await registry.api.postJson('/createSession', {});
  const namespace = session.images.split('/')[1];
  const digest = await push({ token: session.sessionToken, namespace, sessionId: '' }, '1');
  const { status, body } = await start({ token: session.sessionToken } as Pusher, yamlOf('./api:1'));
  assert.deepEqual([status, body.sessionToken], [200, session.sessionToken]);
  assert.deepEqual(await runsFrom(registry.api.woken.at(-1)!, 1), [`pushed.invalid/${namespace}/api:1@${digest}`]);
});

test('a session in which nothing is started ends after an hour, and one whose deployments have ended is over', async () => {
  const { body: session } = await registry.api.postJson('/createSession', {});
  const list = async () => (await registry.api.get(`/getReservations?sessionToken=${session.sessionToken}`)).status;
  assert.equal(await list(), 200);
  registry.api.clock.now += 59 * 60_000;
  assert.equal(await list(), 200);
  registry.api.clock.now += 60_000;
  assert.equal(await list(), 404);
  const { body: second } = await registry.api.postJson('/createSession', {});
  const yaml = yamlOf('nginx:1', 'brief');
  await registry.api.postYaml(`/startUserDeployment?sessionToken=${second.sessionToken}`, yaml);
  const application = { applicationName: 'brief', sessionToken: second.sessionToken };
  assert.equal((await registry.api.postJson('/removeDeploymentReservation', application)).status, 200);
  assert.equal((await registry.api.postJson('/removeDeploymentReservation', application)).status, 404);
});
