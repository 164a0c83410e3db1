import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { webYaml } from './applications.ts';
import { type Berth, createBerth, until } from './berth.ts';
import { engineOfTests } from './engine-of-tests.ts';

let berth: Berth;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(async () => await berth.destroy());

const crashing = webYaml('app', 'never', ['# a secret that it gives away'])
  .replace('vars: { ', 'vars: { API_KEY: very-secret, ')
  .replace(
    'command: node /app/server.mjs',
    'command: node -e "console.log(`no ${process.env.API_KEY}`), process.exit(3)"',
  );
// While it waits for its next start, a node has the lines of the last one, and for a moment those of the one before.
const linesOfCrashes = engineOfTests === 'kubernetes' ? /^no \[redacted\]( ×2)?$/ : /^no \[redacted\] ×\d+$/;
const deaf = webYaml('app', 'never').replace('.listen(3000)', '; setInterval(() => {}, 1e9)');

test('a deployment whose pod crashes fails and says why to its owner; its page says that it failed, and no more', async () => {
  const app = await berth.start(crashing);
  const { message, pods, lastLines } = await berth.reach(app, 'failed');
  assert.match(message, /^pod web: .*3/);
  assert.match(lastLines.at(-1), linesOfCrashes);
  assert.equal(pods[0].state, 'failed');
  const page = await berth.visit(app.url);
  assert.equal(page.status, 502);
  assert.match(page.text, /Application app could not be deployed\./);
  assert.doesNotMatch(page.text, /pod web|crash|exited|redacted|very-secret/);

  await berth.update(app, webYaml('app', 'mended'));
  await berth.reach(app, 'running');
  assert.match((await berth.visit(app.url)).text, /^mended/);
  await berth.remove(app);
});

test('a pod that never listens fails at the deadline with the port that it does not listen on', async () => {
  // Only here: what is to run may take its time.
  await berth.end('SIGTERM');
  await berth.serve({ BERTH_TIMEOUTS: 'deploy=12s drain=200ms' });
  const app = await berth.start(deaf);
  const { message } = await berth.reach(app, 'failed');
  assert.equal(
    message,
    'pod web: does not listen on port 3000, nor on any other, and nothing has changed for 12 s (its last log lines may show what it waits for)',
  );
  await berth.remove(app);
  await berth.end('SIGTERM');
  await berth.serve();
});

test('a failed update leaves the previous revision serving, and says so', async () => {
  const app = await berth.start(webYaml('app', 'first'));
  await berth.reach(app, 'running');
  await berth.update(app, crashing);
  const status = await until('the update has failed', async () => {
    const { status: code } = await berth.visit(app.url);
    assert.equal(code, 200, 'the first revision keeps serving');
    const status = await berth.status(app);
    return status.state === 'failed' ? status : undefined;
  });
  assert.match(status.message, /revision 1 still serves$/);
  assert.match((await berth.visit(app.url)).text, /^first/);
  const { id } = await berth.row(app);
  await until('the failed revision is cleared away', async () => {
    const { owned } = await berth.inventory();
    return owned.filter(({ kind, deploymentId }) => kind === 'workload' && deploymentId === id).length === 1;
  });
  assert.equal((await berth.status(app)).state, 'failed');
  await berth.remove(app);
});
