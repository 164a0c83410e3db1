/** The kinds of workloads, as their programs see them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Berth, createBerth, type Started } from './berth.ts';

let berth: Berth;
let app: Started;
before(async () => {
  berth = await createBerth();
  await berth.serve();
});
after(async () => await berth.destroy());

/** Facts that one member of the statefulset reports. */
type Member = { hostname: string; founder: string; starts: string[]; revision: string };

/**
 * A statefulset whose members listen only after half a second, and of which the second one dies unless the first one
 * answers; a job that counts its runs in a volume; a page that shows both.
 */
function yaml(revision: { db: string; page: string }): string {
  return `application:
  name: kinds
  pods:
    - name: db
      image: node:26-slim
      resourceType: statefulset
      replicas: 2
      servicePorts: [4000]
      volumes: [{ name: data, mountPath: /data, size: 1Mi }]
      vars: { REVISION: ${revision.db} }
      command: node /app/db.mjs
      files:
        - path: /app/db.mjs
          content: |
            import { appendFileSync, readFileSync } from 'node:fs';
            import { createServer } from 'node:http';
            import { hostname } from 'node:os';
            const ask = async (url) => (await fetch(url)).json();
            appendFileSync('/data/starts', hostname() + '\\n');
            const founder = hostname() === 'db-0' ? 'db-0' : (await ask('http://db-0.pod:4000')).hostname;
            const starts = readFileSync('/data/starts', 'utf8').trim().split('\\n');
            const says = JSON.stringify({ hostname: hostname(), founder, starts, revision: process.env.REVISION });
            setTimeout(() => createServer((_, response) => response.end(says)).listen(4000), 500);
            process.once('SIGTERM', () => process.exit());
    - name: seed
      image: node:26-slim
      resourceType: job
      volumes: [{ name: runs, mountPath: /runs, size: 1Mi, shared: true }]
      command: [node, -e, "require('fs').appendFileSync('/runs/count', 'x'); console.log('seeded')"]
    - name: page
      image: node:26-slim
      path: /
      servicePorts: [3000]
      dependsOn: [seed]
      volumes: [{ name: runs, mountPath: /runs, size: 1Mi, shared: true }]
      vars: { REVISION: ${revision.page} }
      command: node /app/page.mjs
      files:
        - path: /app/page.mjs
          content: |
            import { readFileSync } from 'node:fs';
            import { createServer } from 'node:http';
            const ask = async (url) => (await fetch(url)).json();
            const all = () => Promise.all(['http://db-0.pod:4000', 'http://db-1.pod:4000'].map(ask));
            createServer(async (_, response) => {
              const runs = readFileSync('/runs/count', 'utf8').length;
              response.end(JSON.stringify({ members: await all(), runs, revision: process.env.REVISION }));
            }).listen(3000);
            process.once('SIGTERM', () => process.exit());
`;
}

async function seen(): Promise<{ members: Member[]; runs: number; revision: string }> {
  const { status, text } = await berth.visit(app.url);
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

test('replicas of a statefulset start in order, each with a name and a volume of its own', async () => {
  app = await berth.start(yaml({ db: 'one', page: 'one' }));
  await berth.reach(app, 'running');
  assert.deepEqual((await seen()).members, [
    { hostname: 'db-0', founder: 'db-0', starts: ['db-0'], revision: 'one' },
    // It started once: the first one was ready.
    { hostname: 'db-1', founder: 'db-0', starts: ['db-1'], revision: 'one' },
  ]);
});

test('a job runs to its end before what depends on it starts, and not again at an update of another pod', async () => {
  assert.equal((await seen()).runs, 1);
  await berth.update(app, yaml({ db: 'one', page: 'two' }));
  await berth.reach(app, 'running');
  const { runs, revision, members } = await seen();
  assert.deepEqual([runs, revision], [1, 'two']);
  assert.deepEqual(members[0]!.starts, ['db-0'], 'nor do other pods that it leaves as they were');
  const logs = await berth.get(`/getDeploymentLogs?applicationName=kinds&pod=seed`, {
    authorization: `Bearer ${app.sessionToken}`,
  });
  assert.match(logs.text, / seed seeded\n$/);
});

test('an update of a statefulset replaces its replicas in order, on their own volumes and under their own names', async () => {
  await berth.update(app, yaml({ db: 'two', page: 'two' }));
  await berth.reach(app, 'running');
  assert.deepEqual((await seen()).members, [
    { hostname: 'db-0', founder: 'db-0', starts: ['db-0', 'db-0'], revision: 'two' },
    { hostname: 'db-1', founder: 'db-0', starts: ['db-1', 'db-1'], revision: 'two' },
  ]);
  await berth.remove(app);
});
