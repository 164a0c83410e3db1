/**
 * `node test/upgrade/record.ts FOLDER`: records what the release that is checked out leaves to the next one, with each
 * database: all rows as SQL, the key, and what the engine then has. `upgrade.test.ts` starts the code of today on them.
 * `npm run release` calls it. Of what was before the first release there are `release-0.1`, without PostgreSQL,
 * `release-0.1-later`, which was the first to hand over, and `before-0.2`, the last without generations of the schema.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openInstallation } from '../../scripts/installed.ts';
import { connectDocker } from '../../src/engine/docker/connect-docker.ts';
import { type Berth, createBerth } from '../scenarios/berth.ts';
import { postgresText, sqliteText } from './database-text.ts';
import { histories } from './documents.ts';
import { stores } from './stores.ts';

/** `folder`: written when everything is recorded. `commit`: what is checked out. */
export async function recordRelease(folder: string, commit: string): Promise<void> {
  const draft = `${folder}.draft`;
  await using open = new AsyncDisposableStack();
  open.defer(() => rm(draft, { recursive: true, force: true }));
  await rm(draft, { recursive: true, force: true });
  for (const store of stores) {
    const berth = await createBerth({ BERTH_GRACE: '24h' }, { store });
    try {
      await mkdir(join(draft, store), { recursive: true });
      await recordInto(join(draft, store), berth, commit);
    } finally {
      await berth.destroy();
    }
  }
  await rm(folder, { recursive: true, force: true });
  await rename(draft, folder);
}

async function recordInto(folder: string, berth: Berth, commit: string): Promise<void> {
  await berth.serve();
  for (const [first, ...updates] of histories) {
    const started = await berth.start(first!);
    await berth.reach(started, 'running');
    for (const document of updates) {
      await berth.update(started, document);
      await berth.eventsUntil(started, /^(revision 2 is running|failed: )/);
    }
  }
  // What operators and accounts leave.
  const admin = (...words: string[]) =>
    promisify(execFile)(process.execPath, ['src/cli/bin.mjs', 'admin', ...words], { env: berth.environment });
  await admin('ban', 'image', 'example.com/miner', 'mines coins');
  const account = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' };
  const { status, text } = await berth.postJson('/api/auth/sign-up/email', account);
  if (status !== 200) throw new Error(`no account was made: ${text}`);
  await berth.end('SIGTERM');

  const { dataDir, baseUrl, appsDomain } = berth.settings;
  const { db, engine, owner, close } = (await openInstallation(berth.settings))!;
  const deployments = await db.selectFrom('deployments').select('id').orderBy('createdAt').execute();
  const images = ['node:26-slim', 'redis:7', 'nginx:1'];
  const observed = Object.fromEntries(
    await Promise.all(deployments.map(async ({ id }) => [id, await engine.observe(id, images)] as const)),
  );
  await close();
  const { postgres } = berth;
  const database = postgres ? await postgresText(postgres, 'berth') : sqliteText(join(dataDir, 'berth.db'));
  await writeFile(join(folder, 'database.sql'), database);
  await copyFile(join(dataDir, 'secret.key'), join(folder, 'secret.key'));

  const docker = await connectDocker();
  const containers = await docker.listContainers({ all: true, filters: { label: [`berth.owner=${owner}`] } });
  const labels = Object.fromEntries(containers.map(({ Names, Labels }) => [Names[0]!.slice(1), Labels]));
  const record = { commit, recordedAt: Date.now(), baseUrl: baseUrl.origin, appsDomain, observed, labels };
  await writeFile(join(folder, 'engine.json'), `${JSON.stringify(record, undefined, 2)}\n`);
}

if (import.meta.main) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error('Where to? node test/upgrade/record.ts FOLDER');
  const { stdout } = await promisify(execFile)('git', ['rev-parse', 'HEAD']);
  await recordRelease(folder, stdout.trim());
}
