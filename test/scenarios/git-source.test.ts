/** From a Git repository to a live site: one that a request names, or its configuration. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { dockerfile, serverOf } from '../support/node-source.ts';
import { type Berth, createBerth, type Started, until } from './berth.ts';
import { onDocker } from './engine-of-tests.ts';

const options = onDocker('the base images of these tests are on the engine of this machine alone');

let berth: Berth;
let gitServer: GitServer;
let folder: string;
before(async () => {
  gitServer = await startGitServer({ login: 'x-access-token:a-secret-token' });
  folder = await mkdtemp(join(tmpdir(), 'berth-authority-'));
  const ca = join(folder, 'ca.pem');
  await writeFile(ca, gitServer.certificate);
  berth = await createBerth({ BERTH_GIT_SERVERS: `${gitServer.host} ca=${ca}` });
  await berth.serve();
});
after(async () => {
  await berth?.destroy();
  await gitServer?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const logOf = async ({ sessionToken, applicationName }: Started, more = '') =>
  (
    await berth.get(`/getDeploymentLogs?applicationName=${applicationName}&build=true${more}`, {
      authorization: `Bearer ${sessionToken}`,
    })
  ).text;

test(
  'a Git repository is live after one request without a body, and its next commit after another',
  options,
  async () => {
    const { commit } = await gitServer.create('cloned');
    const web = { 'web/Dockerfile': dockerfile('ENV GREETING=" world"'), 'web/server.mjs': serverOf('hello') };
    await commit({ ...web, 'README.md': 'one' });
    const from = `git=${encodeURIComponent(gitServer.url('cloned'))}&ref=main&path=web&name=cloned`;
    const ask = async (path: string, headers = {}) =>
      await berth.visit(`http://localhost:${berth.settings.port}${path}${from}`, { method: 'POST', headers });
    const refused = await ask('/startUserDeployment?');
    assert.match(refused.text, /does not exist, or is private/);
    const token = { 'git-token': 'a-secret-token' };
    const answer = await ask('/startUserDeployment?', token);
    assert.equal(answer.status, 200, answer.text);
    const started: Started = answer.body;
    assert.match(answer.text, /The source is commit [0-9a-f]{12} of main\./);
    await berth.reach(started, 'running');
    assert.equal((await berth.visit(started.url)).text, 'hello world');
    const update = `/updateUserDeployment?sessionToken=${started.sessionToken}&`;
    await commit({ 'README.md': 'two' });
    assert.equal((await ask(update, token)).status, 200);
    await berth.eventsUntil(started, /revision 2 is running/);
    assert.match(await logOf(started), /same as in revision 1/);
    await commit({ 'web/server.mjs': serverOf('goodbye') });
    assert.equal((await ask(update, token)).status, 200);
    await berth.eventsUntil(started, /revision 3 is running/);
    assert.equal((await berth.visit(started.url)).text, 'goodbye world');
    assert.doesNotMatch(berth.log() + answer.text + refused.text, /a-secret-token/);
    await berth.remove(started);
  },
);

test('a configuration that comes with a Git repository takes the place of the one in it', options, async () => {
  const { commit } = await gitServer.create('configured');
  await commit({
    'berth.yaml': 'application: { name: theirs, pods: [] }',
    'app/Dockerfile': dockerfile('ARG WHO', 'ENV GREETING=$WHO'),
    'app/server.mjs': serverOf('hello '),
  });
  const configuration = (who: string) => `application:
  name: configured
  pods:
    - name: web
      build: { context: ./app, args: { WHO: ${who} } }
      path: /
`;
  const ask = async (path: string, body: string) => {
    const url = `http://localhost:${berth.settings.port}${path}git=${encodeURIComponent(gitServer.url('configured'))}`;
    const headers = { 'content-type': 'text/x-yaml', 'git-token': 'a-secret-token' };
    const answer = await berth.visit(url, { method: 'POST', headers, body });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const started: Started = await ask('/startUserDeployment?', configuration('one'));
  await berth.reach(started, 'running');
  assert.equal((await berth.visit(started.url)).text, 'hello one');
  await ask(`/updateUserDeployment?sessionToken=${started.sessionToken}&`, configuration('two'));
  await berth.eventsUntil(started, /revision 2 is running/);
  assert.equal((await berth.visit(started.url)).text, 'hello two');
  await berth.remove(started);
});

test(
  'a configuration alone is built from the private repository that it names, and its token is nowhere',
  options,
  async () => {
    const { commit } = await gitServer.create('named');
    await commit({
      'apps/web/Dockerfile': dockerfile('ARG WHO', 'ENV GREETING=$WHO', 'COPY notes.txt ./'),
      'apps/web/server.mjs': serverOf('hello '),
      'apps/web/notes.txt': 'one',
    });
    const source = (token: string) => `{ git: "${gitServer.url('named')}", ref: main, path: apps, token: ${token} }`;
    const configuration = (who: string, token = 'a-secret-token') => `application:
  name: named
  pods:
    - name: web
      build: { source: ${source(token)}, context: web, args: { WHO: ${who} } }
      path: /
`;
    const ask = async (path: string, body: string) =>
      await berth.visit(`http://localhost:${berth.settings.port}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'text/x-yaml' },
        body,
      });
    const valid = await ask('/validate', configuration('one'));
    assert.deepEqual([valid.body.valid, valid.body.errors], [true, []], valid.text);
    const bad = await ask('/startUserDeployment', configuration('one').replace('apps,', '../a,'));
    assert.match(bad.body.errors[0], /^5:81 .*: `path` is not a folder/, bad.text);
    const refused = await ask('/startUserDeployment', configuration('one', 'another-secret-token'));
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.text, /berth\.yaml:5:\d+: The repository .* does not exist, or is private/);
    const trial = await ask('/startUserDeployment?dryRun=true', configuration('one'));
    assert.equal(trial.status, 200, trial.text);
    assert.match(trial.body.source.document, /servicePorts/);
    const answer = await ask('/startUserDeployment', configuration('one'));
    assert.equal(answer.status, 200, answer.text);
    const started: Started = answer.body;
    const processes = await readProcesses();
    await berth.reach(started, 'running');
    assert.equal((await berth.visit(started.url)).text, 'hello one');
    const update = `/updateUserDeployment?sessionToken=${started.sessionToken}`;
    await commit({ 'README.md': 'another file' });
    assert.equal((await ask(update, configuration('one'))).status, 200);
    await berth.eventsUntil(started, /revision 2 is running/);
    assert.match(await logOf(started), /same as in revision 1/);
    assert.equal((await ask(update, configuration('two'))).status, 200);
    const events = await berth.eventsUntil(started, /revision 3 is running/);
    assert.equal((await berth.visit(started.url)).text, 'hello two');
    const authorization = { authorization: `Bearer ${started.sessionToken}` };
    const kept = await berth.get('/getDeploymentConfiguration?applicationName=named', authorization);
    const status = JSON.stringify(await berth.status(started));
    const texts = [berth.log(), answer.text, refused.text, trial.text, kept.text, JSON.stringify(events), status];
    for (const text of [...texts, await logOf(started), processes, await filesBelow(berth.settings.dataDir)])
      assert.doesNotMatch(text, /(?:a|another)-secret-token/);
    await berth.remove(started);
  },
);

test('clients that leave during the fetch do not occupy places for sources', options, async () => {
  const configuration = (name: string) => `application:
  name: left
  pods:
    - { name: web, path: /, build: { source: { git: "${gitServer.url(name)}", token: a-secret-token } } }
`;
  const url = `http://localhost:${berth.settings.port}/startUserDeployment?dryRun=true`;
  const headers = { 'content-type': 'text/x-yaml' };
  // As many as one client may have.
  for (const name of ['stuck-1', 'stuck-2']) {
    const requested = Promise.withResolvers<IncomingMessage>();
    gitServer.routes.set(`/${name}/info/refs`, requested.resolve);
    const leaving = request(url, { method: 'POST', headers }).on('error', () => {});
    leaving.end(configuration(name));
    const { socket } = await requested.promise;
    const ended = Promise.withResolvers<unknown>();
    socket.once('close', ended.resolve);
    // HAProxy ends the request after a reset only.
    leaving.socket!.resetAndDestroy();
    await ended.promise;
  }
  const { commit } = await gitServer.create('left');
  await commit({ Dockerfile: dockerfile(), 'server.mjs': serverOf('hello') });
  await until('the places are free', async () => {
    const { status, text } = await berth.visit(url, { method: 'POST', headers, body: configuration('left') });
    assert.ok([200, 429].includes(status), text);
    return status === 200 || undefined;
  });
});

/** The command lines of all processes. */
async function readProcesses(): Promise<string> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.join('\n');
}

/** Everything that the service has stored, with its database. */
async function filesBelow(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1').catch(() => ''));
  return (await Promise.all(texts)).join('\n');
}
