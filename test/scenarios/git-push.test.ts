/** From an empty folder to a live site with `git push`, through the edge, on the real engine. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createRepository } from '../support/git-server.ts';
import { dockerfile, serverOf } from '../support/node-source.ts';
import { type Berth, createBerth, until } from './berth.ts';
import { onDocker } from './engine-of-tests.ts';

const options = onDocker('the base images of these tests are on the engine of this machine alone');

let berth: Berth;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-pushed-'));
  berth = await createBerth();
  await berth.serve();
});
after(async () => {
  await berth?.destroy();
  await rm(folder, { recursive: true });
});

const urlOf = (path: string, login = '') => `http://${login}localhost:${berth.settings.port}/git/${path}`;
const liveUrl = (shown: string) => /^Live: (\S+)$/m.exec(shown)?.[1] ?? assert.fail(shown);
const tokenIn = (shown: string) => /^Session token: (\S+)$/m.exec(shown)?.[1] ?? assert.fail(shown);

test('an empty folder is live after git push, and the next commit after another', options, async () => {
  const { commit, git, push } = await createRepository(join(folder, 'site'));
  await commit({ Dockerfile: dockerfile('ENV GREETING=" world"'), 'server.mjs': serverOf('hello') });
  await git('remote', 'add', 'berth', urlOf('site.git'));
  const first = await push('berth', 'main');
  assert.ok(first.isAccepted, first.shown);
  assert.match(first.shown, /^STEP 1\/\d+: FROM node:26-slim$/m);
  assert.equal((await berth.visit(liveUrl(first.shown))).text, 'hello world');

  // The output has the command with the address of the service and the token.
  const [, command = ''] = /git (remote set-url berth \S+)/.exec(first.shown) ?? [];
  await git(...command.split(' '));
  await commit({ 'server.mjs': serverOf('goodbye') });
  const second = await push('berth', 'main');
  assert.ok(second.isAccepted, second.shown);
  assert.equal(liveUrl(second.shown), liveUrl(first.shown));
  assert.equal((await berth.visit(liveUrl(first.shown))).text, 'goodbye world');

  // A large pack is sent in pieces, after a test of the connection.
  await commit({ 'large.bin': randomBytes(3 * 2 ** 20) });
  const third = await push('berth', 'main');
  assert.ok(third.isAccepted, third.shown);

  await commit({ Dockerfile: dockerfile('RUN echo the reason && exit 3') });
  const failing = await push('berth', 'main');
  assert.equal(failing.isAccepted, false);
  assert.match(failing.shown, /^the reason$/m);
  assert.match(failing.shown, /RUN echo the reason && exit 3/);
  assert.match(failing.shown, /! \[remote rejected\] main -> main \(deployment failed\)/);
  assert.equal((await berth.visit(liveUrl(first.shown))).text, 'goodbye world');

  await git('update-ref', 'refs/heads/--upload-pack=touch${IFS}x', 'HEAD~1');
  const odd = await push('berth', 'refs/heads/--upload-pack=touch${IFS}x');
  assert.ok(odd.isAccepted, odd.shown);

  const token = tokenIn(first.shown);
  const wrong = await push(urlOf('mine/site.git', `x:${token}x@`), 'main');
  assert.match(wrong.shown, /No session has this token/);
  const started = { sessionToken: token, applicationName: 'site', url: liveUrl(first.shown) };
  await berth.remove(started as Parameters<typeof berth.remove>[0]);
});

test('a service that is killed during a push continues the deployment, and keeps no source', options, async () => {
  const at = join(folder, 'interrupted');
  const { commit } = await createRepository(at);
  await commit({ Dockerfile: dockerfile('RUN sleep 5'), 'server.mjs': serverOf('hello') });
  const sources = join(berth.settings.dataDir, 'sources');
  const pushing = spawn('git', ['-C', at, 'push', urlOf('interrupted.git'), 'main'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let shown = '';
  pushing.stderr.on('data', (piece) => {
    shown += String(piece);
  });
  const url = await until('the build has begun', async () => {
    return /STEP 1/.test(shown) ? /Address: ([^\s,]+)/.exec(shown)?.[1] : undefined;
  });
  await berth.end('SIGKILL');
  const [status] = await once(pushing, 'close');
  assert.notEqual(status, 0, shown);
  await berth.serve();
  await until('the application runs', async () => (await berth.visit(url)).text === 'helloundefined' || undefined);
  await until('the source is removed', async () => (await readdir(sources)).length === 0 || undefined);
});

test('a pod that does not start fails the push with its last lines', options, async () => {
  const { commit, push } = await createRepository(join(folder, 'broken'));
  await commit({ Dockerfile: dockerfile(), 'server.mjs': 'console.log("no configuration"); process.exit(7);' });
  const { isAccepted, shown } = await push(urlOf('broken.git'), 'main');
  assert.equal(isAccepted, false);
  assert.match(shown, /^ {2}no configuration/m);
  assert.match(shown, /exited with code 7/);
});
