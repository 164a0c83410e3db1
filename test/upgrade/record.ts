/**
 * `node test/upgrade/record.ts FOLDER`: records what the release that is checked out leaves to the next one: its
 * database with its key, and what the engine then has of it. `upgrade.test.ts` starts the code of today on such a record.
 */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { openInstallation } from '../../scripts/installed.ts';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { createBerth } from '../scenarios/berth.ts';
import { histories } from './documents.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('Where to? node test/upgrade/record.ts FOLDER');
await mkdir(folder, { recursive: true });

const berth = await createBerth();
try {
  await berth.serve();
  for (const [first, ...updates] of histories) {
    const started = await berth.start(first!);
    await berth.reach(started, 'running');
    for (const document of updates) {
      await berth.update(started, document);
      await berth.eventsUntil(started, /^(revision 2 is running|failed: )/);
    }
  }
  await berth.end('SIGTERM');

  const { dataDir, baseUrl, appsDomain } = berth.settings;
  const { db, engine, owner, close } = (await openInstallation(berth.settings))!;
  const deployments = await db.selectFrom('deployments').select('id').orderBy('createdAt').execute();
  const images = ['node:26-slim', 'redis:7', 'nginx:1'];
  const observed = Object.fromEntries(
    await Promise.all(deployments.map(async ({ id }) => [id, await engine.observe(id, images)] as const)),
  );
  const copy = join(dataDir, 'copy.db');
  await sql`vacuum into ${copy}`.execute(db);
  await close();
  await writeFile(join(folder, 'berth.db.gz'), gzipSync(await readFile(copy)));
  await copyFile(join(dataDir, 'secret.key'), join(folder, 'secret.key'));

  const docker = await connectDocker();
  const containers = await docker.listContainers({ all: true, filters: { label: [`berth.owner=${owner}`] } });
  const labels = Object.fromEntries(containers.map(({ Names, Labels }) => [Names[0]!.slice(1), Labels]));
  const record = { recordedAt: Date.now(), baseUrl: baseUrl.origin, appsDomain, observed, labels };
  await writeFile(join(folder, 'engine.json'), `${JSON.stringify(record, undefined, 2)}\n`);
} finally {
  await berth.destroy();
}
