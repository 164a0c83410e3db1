/** Faults that need a place of their own: a private engine, a small disk, a PostgreSQL with two control planes. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Berth, createBerth, named, until } from '../scenarios/berth.ts';
import { createPlanes } from '../scenarios/planes.ts';
import { createPrivateEngine } from '../scenarios/private-engine.ts';
import { smallDisk } from '../scenarios/small-disk.ts';
import { type Fault, runFault, type Scene } from './fault.ts';
import type { FaultResult } from './fault-table.ts';
import { keeperYaml } from './keeper.ts';

export type PlacedFault = { name: string; run(): Promise<FaultResult> };

export const placedFaults: PlacedFault[] = [
  { name: 'dockerd-killed', run: killDockerd },
  { name: 'disk-full', run: fillDisk },
  { name: 'postgres-killed', run: killPostgres },
];

const isReady = async (berth: Berth) => (await berth.get('/readyz')).status === 200;

const wordsOfReady = async (berth: Berth): Promise<string> =>
  await until('/readyz says so', async () => {
    const { status, body, text } = await berth.get('/readyz');
    return status === 200 ? undefined : `/readyz: ${body?.error ?? text}`;
  });

/** The application of the drill, running. */
export async function sceneOn(berth: Berth): Promise<Scene> {
  await berth.serve();
  const app = await berth.start(keeperYaml('kept'));
  await berth.reach(app, 'running');
  return { berth, app };
}

async function killDockerd(): Promise<FaultResult> {
  await using open = new AsyncDisposableStack();
  const engine = await createPrivateEngine();
  open.defer(() => engine.close());
  await engine.load('node:26-slim');
  const berth = await createBerth({}, { engine, store: 'sqlite' });
  open.defer(() => berth.destroy());
  const fault: Fault = {
    name: 'dockerd-killed',
    async strike(_, repaired) {
      await engine.stop('SIGKILL');
      const said = await wordsOfReady(berth);
      repaired();
      await engine.start();
      return said;
    },
    isMended: () => isReady(berth),
  };
  return await runFault(fault, await sceneOn(berth));
}

async function fillDisk(): Promise<FaultResult> {
  await using open = new AsyncDisposableStack();
  const disk = open.use(await smallDisk());
  // Volumes on the small disk would count to it.
  const settings = {
    BERTH_DATA_DIR: join(disk.folder, 'data'),
    BERTH_EXTENSIONS: '999x120m',
    BERTH_DISK_LIMITS: 'watch',
  };
  const berth = await createBerth(settings, { store: 'sqlite' });
  open.defer(() => berth.destroy());
  open.defer(() => disk.makeRoom());
  const scene = await sceneOn(berth);
  const extend = () => berth.postJson('/extendDeployment', named(scene.app));
  const fault: Fault = {
    name: 'disk-full',
    async strike(_, repaired) {
      await disk.fill();
      const refused = await until('a change is refused', async () => {
        const answer = await extend();
        return answer.status === 200 ? undefined : answer;
      });
      await wordsOfReady(berth);
      await disk.makeRoom();
      repaired();
      return `${refused.status}: ${refused.body?.error ?? refused.text}`;
    },
    isMended: async () => (await isReady(berth)) && (await extend()).status === 200,
  };
  return await runFault(fault, scene);
}

async function killPostgres(): Promise<FaultResult> {
  await using planes = await createPlanes(2);
  const [first, second] = planes.all as [Berth, Berth];
  const scene = await sceneOn(first);
  await second.serve();
  const fault: Fault = {
    name: 'postgres-killed',
    async strike(_, repaired) {
      await first.postgres!.stop('crash');
      const said = await wordsOfReady(first);
      await delay(2_000);
      repaired();
      await first.postgres!.start();
      return said;
    },
    isMended: async () =>
      (await isReady(first)) && (await isReady(second)) && (await second.status(scene.app))?.health === 'running',
  };
  return await runFault(fault, scene);
}
