/** A deployment from its validation to its removal, with every request that the description shows an example of. */
import assert from 'node:assert/strict';
import { digestOf } from '../../src/lib/digest.ts';
import { wait } from '../../src/lib/wait.ts';
import type { Answer } from '../scenarios/ask.ts';
import { type Berth, createBerth, until } from '../scenarios/berth.ts';
import { imageManifest, ociImage } from '../support/image-registry.ts';
import { recordsOf, startNameServer } from '../support/name-server.ts';

const yaml = `application:
  name: hello
  pods:
    - name: web
      image: nginx:1
      path: /
      servicePorts: [80]
      vars:
        GREETING: Hello
`;
const updated = yaml.replace('GREETING: Hello', 'GREETING: Good evening');

/** As one calls itself. */
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** Requests and answers, by `operationId`; streamed bodies and texts are left out. */
export type RecordedStory = { [operationId: string]: { request?: unknown; answer?: unknown } };

/** Plays it on a real service. */
export async function playStory(): Promise<RecordedStory> {
  const berth = await createBerth({
    BERTH_GRACE: '24h',
    // Only the requested snapshots.
    BERTH_TIERS: 'free deployments=3 memory=1Gi snapshot-every=never',
    BERTH_STRANGERS: 'session=10 address=20 memory=8Gi exec=yes',
  });
  const records = { 'TXT _berth.shop.example.com': ['v=spf1 -all'], 'A shop.example.com': ['198.51.100.7'] };
  await using names = await startNameServer(recordsOf(records));
  try {
    await berth.serve({ BERTH_DOMAIN_RESOLVERS: names.address });
    return await play(berth);
  } finally {
    await berth.destroy();
  }
}

/** An example needs three of the 360 values. */
function withShortLines(value: unknown): unknown {
  if (Array.isArray(value))
    return value.every((each) => each === null || typeof each === 'number')
      ? value.slice(-3)
      : value.map(withShortLines);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withShortLines(inner)]));
}

async function play(berth: Berth): Promise<RecordedStory> {
  const reported: RecordedStory = {};
  const note = (id: string, answer: Answer, request?: unknown) => {
    assert.equal(answer.status, 200, `${id}: ${answer.text}`);
    reported[id] = { ...(request !== undefined && { request }), answer: answer.body };
    return answer.body;
  };
  note('createSession', await berth.postJson('/createSession', {}), {});
  note('validateConfig', await berth.postYaml('/validate', yaml), yaml);
  note('listTemplates', await berth.get('/getTemplates?search=static'));
  note('getTemplate', await berth.get('/getTemplate?name=memos'));
  const started = note('startDeployment', await berth.postYaml('/startUserDeployment', yaml), yaml);
  const { sessionToken, applicationName } = started;
  const authorization = { authorization: `Bearer ${sessionToken}` };
  const get = (path: string) => berth.get(`${path}?applicationName=${applicationName}`, authorization);
  await berth.reach(started, 'running');
  note('getDeploymentStatus', await get('/getDeploymentStatus'));
  const metrics = await until('its pod is measured', async () => {
    const answer = await get('/getDeploymentMetrics');
    return answer.body.pods?.length > 0 ? answer : undefined;
  });
  note('getDeploymentMetrics', { ...metrics, body: withShortLines(metrics.body) });
  note('getDeploymentOutline', await get('/getDeploymentOutline'));
  note('getDeploymentConfiguration', await get('/getDeploymentConfiguration'));
  note('listDeployments', await berth.get('/getReservations', authorization));
  const limits = note('getLimits', await berth.get('/api/limits', authorization));
  await pushImage(berth, limits.images.namespace, authorization);
  note('listImages', await berth.get('/api/images', authorization));
  const query = `?sessionToken=${sessionToken}`;
  note('previewUpdate', await berth.postYaml(`/previewUserDeployment${query}`, updated), updated);
  note('updateDeployment', await berth.postYaml(`/updateUserDeployment${query}`, updated), updated);
  await berth.reach(started, 'running');
  note('getDeploymentRevisions', await get('/getDeploymentRevisions'));
  const application = { applicationName, sessionToken };
  note('rollbackDeployment', await berth.postJson('/rollbackUserDeployment', application), application);
  await berth.reach(started, 'running');
  const command = { ...application, pod: 'web', command: ['nginx', '-v'] };
  note('execInPod', await berth.postJson('/execInPod', command), command);
  const { url } = note('shareDeployment', await berth.postJson('/shareDeployment', application), application);
  note('getShareLink', await get('/getShareLink'));
  note('getSharedStatus', await berth.get(`/api${new URL(url).pathname}`));
  note('unshareDeployment', await berth.postJson('/unshareDeployment', application), application);
  const restart = { ...application, pod: 'web' };
  note('restartPod', await berth.postJson('/restartPod', restart), restart);
  await berth.reach(started, 'running');
  note('stopApplication', await berth.postJson('/stopApplication', application), application);
  note('startApplication', await berth.postJson('/startApplication', application), application);
  await berth.reach(started, 'running');
  note('releaseDeployment', await berth.postJson('/releaseDeployment', application), application);
  note('extendDeployment', await berth.postJson('/extendDeployment', application), application);
  const { claimToken } = note('claimDeployment', await berth.postJson('/claimDeployment', application), application);
  note('getClaim', await berth.get(`/api/claims/${claimToken}`));
  const { send, tokenId } = await tellOfAccount(berth, claimToken, note);
  const session = { sessionToken };
  await tellOfSnapshots(berth, sessionToken, note);
  note('removeReservations', await berth.postJson('/removeReservations', session), session);
  const replaced = note('replaceToken', await send('POST', `/api/tokens/${tokenId}/replace`));
  const removal = { applicationName, sessionToken: replaced.sessionToken };
  note('removeDeploymentReservation', await berth.postJson('/removeDeploymentReservation', removal), removal);
  note('restoreDeployment', await berth.postJson('/restoreDeployment', removal), removal);
  note('endToken', await send('DELETE', `/api/tokens/${tokenId}`));
  return reported;
}

/** An image without a layer, as any client pushes one. */
async function pushImage(berth: Berth, namespace: string, headers: { authorization: string }): Promise<void> {
  const { origin } = berth.settings.baseUrl;
  const config = Buffer.from('{}');
  const put = async (method: string, path: string, type: string, body: Buffer) => {
    const url = `${origin}/v2/${namespace}/api/${path}`;
    const sent = { method, headers: { ...headers, 'content-type': type }, body: body.toString() };
    const { status, text } = await berth.visit(url, sent);
    assert.equal(status, 201, text);
  };
  await put('POST', `blobs/uploads/?digest=${digestOf(config)}`, 'application/octet-stream', config);
  await put('PUT', 'manifests/1', ociImage, imageManifest(config, []));
}

/** Records the examples of an application with a volume, which belongs to the account from the beginning. */
async function tellOfSnapshots(
  berth: Berth,
  sessionToken: string,
  note: (id: string, answer: Answer, request?: unknown) => Answer['body'],
): Promise<void> {
  const notes = `${yaml.replace('name: hello', 'name: notes')}      volumes: [{ name: data, size: 16Mi, mountPath: /data }]\n`;
  const { body, text } = await berth.postYaml(`/startUserDeployment?sessionToken=${sessionToken}`, notes);
  assert.equal(body.applicationName, 'notes', text);
  await berth.reach({ ...body, sessionToken }, 'running');
  const application = { applicationName: 'notes', sessionToken };
  const get = () => berth.get(`/getSnapshots?${new URLSearchParams(application)}`);
  const { snapshot } = note('createSnapshot', await berth.postJson('/createSnapshot', application), application);
  await until('it is taken', async () => (await get()).body.snapshots.at(-1)?.state === 'taken' || undefined);
  const restore = { ...application, snapshot: snapshot.id };
  note('restoreSnapshot', await berth.postJson('/restoreSnapshot', restore), restore);
  await until('it is restored', async () => (await get()).body.restores[0]?.state === 'done' || undefined);
  note('getSnapshots', await get());
  const wishes = { ...application, beforeUpdates: true };
  note('setSnapshotWishes', await berth.postJson('/setSnapshotWishes', wishes), wishes);
  note('deleteSnapshot', await berth.postJson('/deleteSnapshot', restore), restore);
}

async function tellOfAccount(
  berth: Berth,
  claimToken: string,
  note: (id: string, answer: Answer, request?: unknown) => Answer['body'],
): Promise<{ send: (method: string, path: string, body?: object) => Promise<Answer>; tokenId: string }> {
  const { origin } = berth.settings.baseUrl;
  let cookie = '';
  note('getSignInMethods', await berth.get('/api/sign-in-methods'));
  const person = { name: 'Ada', email: 'ada@example.com', password: 'a long pass phrase' };
  const signedUp = await send('POST', '/api/auth/sign-up/email', person);
  assert.equal(signedUp.status, 200, signedUp.text);
  cookie = [signedUp.headers['set-cookie'] ?? []]
    .flat()
    .map((each) => each.split(';')[0])
    .join('; ');
  const confirmation = { endToken: false };
  note('confirmClaim', await send('POST', `/claim/${claimToken}`, confirmation), confirmation);
  note('getAccount', await send('GET', '/api/account'));
  const domain = { applicationName: 'hello', domain: 'shop.example.com' };
  note('addDomain', await send('POST', '/addDomain', domain), domain);
  note('checkDomain', await send('POST', '/checkDomain', domain), domain);
  note('listDomains', await send('GET', '/getDomains?applicationName=hello'));
  note('removeDomain', await send('POST', '/removeDomain', domain), domain);
  const { id } = note('addKey', await send('POST', '/api/keys', { name: 'CI' }), { name: 'CI' });
  note('listKeys', await send('GET', '/api/keys'));
  note('removeKey', await send('DELETE', `/api/keys/${id}`));
  note('getNotifications', await send('GET', '/api/notifications'));
  const choice = { mail: ['failed', 'expiring'], webhook: { url: 'https://example.com/berth', kinds: ['failed'] } };
  note('setNotifications', await send('POST', '/api/notifications', choice), choice);
  note('testNotifications', await send('POST', '/api/notifications/test', {}), {});
  await send('POST', '/api/notifications', { webhook: null });
  const { email, password } = person;
  await send('POST', '/api/auth/sign-in/email', { email, password });
  const { signIns } = note('listSignIns', await send('GET', '/api/sign-ins'));
  const other = signIns.find(({ isThis }: { isThis: boolean }) => !isThis);
  note('removeSignIn', await send('DELETE', `/api/sign-ins/${other.id}`));
  const machine = { machine: 'ada@laptop' };
  const started = note('startLogin', await send('POST', '/api/logins', machine), machine);
  const { deviceCode, userCode, intervalSeconds } = started;
  const codePath = `/api/logins/${userCode}`;
  note('getLogin', await send('GET', codePath));
  const decision = { decision: 'approved' };
  note('decideLogin', await send('POST', codePath, decision), decision);
  const fetching = { deviceCode };
  await wait(intervalSeconds * 1000);
  note('fetchKey', await send('POST', '/api/login-key', fetching), fetching);
  const { tokens } = note('listTokens', await send('GET', '/api/tokens'));
  const tokenId = tokens[0].id;
  const allowance = { starts: 'plan' };
  note('changeToken', await send('POST', `/api/tokens/${tokenId}`, allowance), allowance);
  return { send, tokenId };

  function send(method: string, path: string, body?: object): Promise<Answer> {
    return berth.visit(`${origin}${path}`, {
      method,
      headers: {
        origin,
        'user-agent': browser,
        ...(cookie && { cookie }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  }
}
