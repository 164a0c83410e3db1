/** Faults of the service, its edge and its clock. The service has hooks that kill it on command. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { edgePaths } from '../../src/edge/edge-paths.ts';
import { killProxies } from '../../src/edge/haproxy/haproxy-process.ts';
import { type Berth, type Started, until } from '../scenarios/berth.ts';
import { byHand, workloadsOf } from '../scenarios/by-hand.ts';
import { claim } from '../scenarios/claimed.ts';
import { laterRelease } from '../scenarios/other-release.ts';
import type { Fault } from './fault.ts';
import { keeperYaml } from './keeper.ts';

const run = promisify(execFile);
const hour = 3_600_000;

export const serviceFaults: Fault[] = [
  serviceKilled('start', async (berth) => {
    await berth.order({ kind: 'die', afterOperations: 2 });
    const other = await berth.start(keeperYaml('started'));
    return async () => (await berth.status(other))?.health === 'running';
  }),
  serviceKilled('update', async (berth, app) => {
    await berth.order({ kind: 'die', afterOperations: 1 });
    await berth.update(app, keeperYaml('kept', '2'));
    return async () => (await berth.status(app)).servingRevision === 2;
  }),
  serviceKilled('removal', async (berth) => {
    const other = await berth.start(keeperYaml('removed'));
    await berth.reach(other, 'running');
    const { id } = await berth.row(other);
    await berth.order({ kind: 'die', afterOperations: 2 });
    await berth.remove(other);
    return async () => (await berth.inventory()).owned.every(({ deploymentId }) => deploymentId !== id);
  }),
  {
    name: 'haproxy-killed',
    async strike({ berth }) {
      await killProxies(edgePaths(berth.settings.dataDir));
      return undefined;
    },
  },
  migrationKilled(),
  backupKilled(),
  clockSet('clock-forwards', hour),
  clockSet('clock-back', -5 * hour),
];

/** `begin`: orders the kill, requests the work, and returns the condition that must hold in the end. */
function serviceKilled(work: string, begin: (berth: Berth, app: Started) => Promise<() => Promise<boolean>>): Fault {
  let isDone: () => Promise<boolean>;
  return {
    name: `service-killed-in-${work}`,
    async strike({ berth, app }, repaired) {
      isDone = await begin(berth, app);
      await berth.died();
      repaired();
      await berth.serve();
      return undefined;
    },
    isMended: () => isDone(),
  };
}

/** Also a container is removed, which has to be repaired by the clock that is wrong. */
function clockSet(name: string, offsetMs: number): Fault {
  return {
    name,
    async strike({ berth, app }, repaired) {
      await berth.setClock(offsetMs);
      for (const workload of await workloadsOf(berth, app)) await byHand.remove(workload);
      repaired();
      return undefined;
    },
  };
}

function migrationKilled(): Fault {
  return {
    name: 'migration-killed',
    async strike({ berth }, repaired) {
      const folder = await mkdtemp(join(tmpdir(), 'berth-drill-'));
      const marker = join(folder, 'begun');
      const slow = `await db.schema.createTable('later').addColumn('id', 'text').execute();
  await (await import('node:fs/promises')).writeFile(${JSON.stringify(marker)}, '');
  await new Promise((resolve) => setTimeout(resolve, 60_000));`;
      await using later = await laterRelease({ '9998-later': slow });
      await berth.end('SIGTERM');
      const service = spawn(process.execPath, [later.service], { env: berth.environment, stdio: 'ignore' });
      await until('the migration is under way', () =>
        stat(marker).then(
          () => true,
          () => undefined,
        ),
      );
      service.kill('SIGKILL');
      await once(service, 'exit');
      await rm(folder, { recursive: true });
      repaired();
      await berth.serve();
      return 'The database has the previous schema; the previous release starts.';
    },
  };
}

function backupKilled(): Fault {
  return {
    name: 'backup-killed',
    async strike({ berth, app }, repaired) {
      // Volumes of claimed deployments are in a backup.
      await claim(berth, app);
      const folder = await mkdtemp(join(tmpdir(), 'berth-drill-'));
      const passphrase = join(folder, 'passphrase');
      await writeFile(passphrase, 'correct horse battery', { mode: 0o600 });
      const words = [
        'src/cli/bin.mjs',
        'admin',
        'backup',
        '--to',
        join(folder, 'kept'),
        '--passphrase-file',
        passphrase,
      ];
      const killed = spawn(process.execPath, words, { env: berth.environment, stdio: ['ignore', 'ignore', 'pipe'] });
      // It notes how far it is.
      await once(killed.stderr, 'data');
      await delay(200);
      killed.kill('SIGKILL');
      if (killed.exitCode === null && killed.signalCode === null) await once(killed, 'exit');
      repaired();
      const { stdout } = await run(process.execPath, words, { env: berth.environment });
      await rm(folder, { recursive: true });
      return stdout.split('\n')[0];
    },
  };
}
