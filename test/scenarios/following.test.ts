import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { webYaml } from './applications.ts';
import { type Berth, createBerth, type Started, until } from './berth.ts';
import { byHand, workloadsOf } from './by-hand.ts';
import { engineOfTests } from './engine-of-tests.ts';

/**
 * On a cluster, only the lines of a crash and of the next start are kept, while that runs. The engine contract defines
 * it.
 */
const keepsEveryStart = engineOfTests === 'docker';
let berth: Berth;
let app: Started;
before(async () => {
  berth = await createBerth();
  await berth.serve();
  app = await berth.start(talking('one'));
});
after(async () => await berth.destroy());

/** A web server that logs its requests, and a worker. */
function talking(says: string): string {
  const web = webYaml('talking', says).replace(
    '=> response.end(',
    '=> console.log(`asked ${request.url}`) ?? response.end(',
  );
  return `${web}    - name: worker
      image: node:26-slim
      command: node -e "console.log('working'); console.error('hard'); setInterval(() => {}, 1e9)"
`;
}

const query = () => `applicationName=talking&sessionToken=${app.sessionToken}`;

test('events report every step of a deployment, and a reader resumes at its position', async () => {
  await berth.reach(app, 'running');
  const all = await follow(`/getDeploymentEvents?${query()}`, {}, (text) => text.includes('is running'));
  for (const step of [
    '"started"',
    'create-network',
    'start berth-',
    '"kind":"progress"',
    '"pod":"web"',
    'is running',
  ]) {
    assert.ok(all.includes(step), step);
  }
  const last = Number(
    all
      .match(/^id: (\d+)$/gm)!
      .at(-1)!
      .slice('id: '.length),
  );
  await berth.update(app, talking('two'));
  const rest = await follow(`/getDeploymentEvents?${query()}`, { 'last-event-id': String(last) }, (text) =>
    text.includes('revision 2 is running'),
  );
  assert.match(rest, new RegExp(`^id: ${last + 1}\n`));
});

test('logs of all pods come interleaved with the names of the pods, of one pod alone, and by tail', async () => {
  await berth.visit(`${app.url}/hello`);
  const written = ['asked /hello', 'worker working', 'worker hard'];
  const { text } = await until('all lines are there', async () => {
    const answer = await berth.get(`/getDeploymentLogs?${query()}`);
    return written.every((line) => answer.text.includes(line)) ? answer : undefined;
  });
  assert.match(text, /^\d{4}-\d\d-\d\dT[\d:.]+Z worker working$/m);
  assert.match(text, / worker hard$/m);
  assert.match(text, / web asked \/hello$/m);
  const web = await berth.get(`/getDeploymentLogs?${query()}&pod=web&tail=1`);
  assert.match(web.text, /^\S+ web asked \/hello\n$/);
  const unknown = await berth.get(`/getDeploymentLogs?${query()}&pod=nobody`);
  assert.deepEqual([unknown.status, unknown.body.hint], [400, 'Its pods are: worker, web.']);
  assert.equal((await berth.get(`/getDeploymentLogs?${query()}&since=1x`)).status, 400);
  const future = await berth.get(`/getDeploymentLogs?${query()}&since=${new Date(Date.now() + 60_000).toISOString()}`);
  assert.equal(future.text, '');
});

test('followed logs bring each line once, as it is written, also those of the next revision', async () => {
  const reader = berth.stream(`/getDeploymentLogs?${query()}&follow=true&tail=0`);
  let visits = 0;
  const untilAsked = (path: string) =>
    until(`a line of ${path}`, async () => {
      await berth.visit(`${app.url}${path}-${visits++}`);
      return reader.text().includes(`asked ${path}`);
    });
  await untilAsked('/before');
  await berth.update(app, talking('three'));
  await berth.reach(app, 'running');
  await untilAsked('/after');
  reader.close();
  // The last one may have come in part.
  const requested = reader.text().match(/asked \S+(?=\n)/g)!;
  assert.deepEqual(requested, [...new Set(requested)]);
});

test('followed logs show every start of a crash loop, each once, and go on with the update that mends it', async () => {
  const crashing = await berth.start(restless('restless', 'process.exit(7)'));
  const requested = `applicationName=restless&sessionToken=${crashing.sessionToken}`;
  const reader = berth.stream(`/getDeploymentLogs?${requested}&follow=true`);
  const starts = () => [...reader.text().matchAll(/ web (start \d+)(?=\n)/g)].map(([, start]) => start!);
  await until('the third crash', async () => starts().length >= 3);
  if (keepsEveryStart) {
    const previous = await until('lines from before the last restart', async () => {
      const { text } = await berth.get(`/getDeploymentLogs?${requested}&previous=true`);
      return text.includes('start 2') ? text : undefined;
    });
    assert.match(previous, /^\S+ web start 1\n/);
  }
  assert.equal((await berth.get(`/getDeploymentLogs?${requested}&revision=2`)).status, 400);

  await berth.update(crashing, restless('restless', 'console.log(`stays`)'));
  await until('the next revision has written', async () => reader.text().includes(' web stays\n'));
  const { text } = await berth.get(`/getDeploymentLogs?${requested}&revision=2`);
  assert.match(text, /^\S+ web start \d+\n\S+ web stays\n$/);
  reader.close();
  const numbers = starts().map((start) => Number(start.slice('start '.length)));
  // A node keeps two starts. The first one is lost if its logs were not read before the second had ended.
  const first = keepsEveryStart ? 1 : Math.min(2, numbers[0]!);
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + first),
  );
  await berth.remove(crashing);
});

test('followed logs continue with a container that was killed, and one that was removed, from outside', async () => {
  const steady = await berth.start(restless('steady', 'console.log(`stays`)'));
  await berth.reach(steady, 'running');
  const requested = `applicationName=steady&sessionToken=${steady.sessionToken}`;
  const reader = berth.stream(`/getDeploymentLogs?${requested}&follow=true`);
  const starts = () => [...reader.text().matchAll(/ web start (\d+)(?=\n)/g)].map(([, number]) => Number(number));
  const [web] = await workloadsOf(berth, steady);
  await until('its first start', async () => starts().length === 1);
  await byHand.kill(web!);
  await until('its second start', async () => starts().length === 2);
  await byHand.remove(web!);
  await until('the first start of the one in its place', async () => starts().length === 3);
  reader.close();
  assert.deepEqual(starts(), [1, 2, 3]);
  await berth.remove(steady);
});

/** Writes how often it was started, then runs `script`. A cluster does not keep files outside of volumes. */
function restless(name: string, script: string): string {
  const count = [
    "const { existsSync, readFileSync, writeFileSync } = require('node:fs');",
    "const number = (existsSync('/kept/starts') ? Number(readFileSync('/kept/starts', 'utf8')) : 0) + 1;",
    "writeFileSync('/kept/starts', String(number)); console.log('start ' + number);",
  ];
  return `application:
  name: ${name}
  pods:
    - name: web
      image: node:26-slim
      path: /
      servicePorts: [3000]
      volumes: [{ name: kept, size: 1Mi, mountPath: /kept }]
      command: [node, -e, ${JSON.stringify(`${count.join(' ')} ${script}; require('node:http').createServer((_, response) => response.end()).listen(3000)`)}]
`;
}

/** Reads a stream until `isEnough`. */
async function follow(path: string, headers: object, isEnough: (text: string) => boolean): Promise<string> {
  const reader = berth.stream(path, headers);
  await until(path, async () => isEnough(reader.text()));
  reader.close();
  return reader.text();
}
