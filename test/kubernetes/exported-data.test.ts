/** The output of `berth export all` on one machine runs on a cluster, without Berth and with its data. Needs root. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { recipes } from '../../scripts/setup/images/images.ts';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { connectCluster } from '../../src/engine/kubernetes/cluster.ts';
import { provideDebian } from '../images/debian.ts';
import { createBerth, until } from '../scenarios/berth.ts';
import { exportAll, startExported } from './exported-application.ts';
import { importImages } from './node.ts';

type Entries = { entries: { name: string }[] };

test('a guestbook on PostgreSQL that was exported from one machine has its entries on a cluster', async (t) => {
  await using opened = new AsyncDisposableStack();
  const [docker, cluster] = [await connectDocker(), await connectCluster()];
  await importImages(docker, [await provideDebian(docker), ...recipes.map(({ image }) => image)]);
  const folder = await mkdtemp(join(tmpdir(), 'berth-exported-'));
  opened.defer(() => rm(folder, { recursive: true }));
  const berth = await createBerth({}, { engine: 'docker' });
  opened.defer(() => berth.destroy());
  await berth.serve();
  const book = await berth.start(await readFile(join(import.meta.dirname, '../../examples/guestbook.yaml'), 'utf8'));
  await berth.reach(book, 'running');
  for (const name of ['Ada', 'Grace'])
    await until(`${name} has signed`, async () => {
      const body = JSON.stringify({ name, message: 'was here' });
      const answer = await berth.visit(`${book.url}/api/entries`, { method: 'POST', body }).catch(() => undefined);
      return (answer && answer.status < 300) || undefined;
    });
  const exported = opened.use(await startExported(cluster, await exportAll(berth, book, folder)));
  t.diagnostic(exported.said.replaceAll('\n', ', '));
  const found = await until('the entries are there', async () => {
    const answer = await exported.look('/api/entries');
    return answer === undefined ? undefined : (JSON.parse(answer) as Entries).entries.map(({ name }) => name).sort();
  });
  assert.deepEqual(found, ['Ada', 'Grace']);
});
