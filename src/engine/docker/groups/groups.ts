/**
 * The control groups of an installation: one for all deployments, whose limit is below the machine's memory, and in it one
 * for each. The machine itself never runs out of memory for what tenants do, and whoever is looked at, is looked at as a
 * whole deployment, however many processes it is spread over. Every step looks at what is there: a reboot or a kill at
 * any instant leaves nothing that the next step does not mend or the sweep remove.
 */
import { serializeByKey } from '../../../lib/concurrency.ts';
import { EngineFault } from '../../engine.ts';
import { runProgram } from '../volumes/volume-programs.ts';
import type { Kernel } from './kernel.ts';
import { deploymentGroup, deploymentOf, type GroupDriver, type GroupPlace, installationGroup } from './layout.ts';

export type GroupOptions = {
  owner: string;
  driver: GroupDriver;
  kernel: Kernel;
  /** What all deployments may hold together. */
  limitBytes: number;
  /** Of the processor, for all deployments together; 1024 is what every other process of the machine has. */
  shares: number;
  /** Whether a new deployment runs only while nobody else wants the processor, until the watch has seen it calm. */
  startsIdle: boolean;
  /** Runs `systemctl`. */
  run?: (argv: readonly [string, ...string[]]) => Promise<unknown>;
};

export type Groups = {
  readonly place: GroupPlace;
  readonly kernel: Kernel;
  readonly limitBytes: number;
  /** Afterwards all above the deployment's containers has its limits; answers what the engine has to be told. Throws EngineFault. */
  ensure(deploymentId: string): Promise<string>;
  /** Afterwards the group of all deployments has its limit, if there is one. A reboot may have taken it. */
  limit(): Promise<void>;
  /** One that is gone, or still has containers, is no error. */
  remove(deploymentId: string): Promise<void>;
  /** The deployments that have one. */
  list(): Promise<string[]>;
  pathOf(deploymentId: string): string;
};

/** For the owner of the deployment. */
const hint = "the operator can find the cause in the service's log";

export function createGroups(options: GroupOptions): Groups {
  const { owner, driver, kernel, limitBytes, shares, startsIdle, run = runProgram } = options;
  const place = installationGroup(driver, owner);
  const inTurn = serializeByKey();
  const placeOf = (deploymentId: string) => deploymentGroup(driver, owner, deploymentId);

  /** systemd takes back what others write into its groups: it is told instead. */
  async function setLimits(): Promise<void> {
    if (driver === 'systemd') {
      const weight = Math.max(1, Math.round(shares / 10.24));
      await run([
        'systemctl',
        'set-property',
        '--runtime',
        place.parent,
        `MemoryMax=${limitBytes}`,
        `CPUWeight=${weight}`,
      ]);
      return;
    }
    await kernel.setLimit(place.path, limitBytes);
    await kernel.setShares(place.path, shares);
  }

  async function limit(): Promise<void> {
    const found = await kernel.limitOf(place.path).catch(unlessAbsent);
    // The kernel counts in pages.
    if (found === undefined || Math.abs(found - limitBytes) >= 4096) await setLimits();
  }

  async function make(deploymentId: string): Promise<string> {
    const { parent, path } = placeOf(deploymentId);
    // The group below is made first: then nobody can remove the one above as empty.
    const isNew = driver === 'cgroupfs' && (await kernel.make(path));
    if (driver === 'cgroupfs') await setLimits();
    else await limit();
    if (isNew && startsIdle) await kernel.setIdle(path, true);
    return parent;
  }

  return {
    place,
    kernel,
    limitBytes,
    pathOf: (deploymentId) => placeOf(deploymentId).path,

    ensure: (deploymentId) =>
      inTurn(owner, () =>
        make(deploymentId).catch((cause: unknown) => {
          throw new EngineFault('unavailable', 'its control group cannot be made on this machine.', { cause, hint });
        }),
      ),

    limit: async () => {
      if ((await kernel.list(place.path)).length > 0) await limit();
    },

    remove: (deploymentId) =>
      inTurn(owner, async () => {
        const { parent, path } = placeOf(deploymentId);
        if (driver === 'systemd') await run(['systemctl', 'stop', parent]);
        else await kernel.remove(path);
        if ((await kernel.list(place.path)).length > 0) return;
        if (driver === 'cgroupfs') return kernel.remove(place.path);
        await run(['systemctl', 'stop', place.parent]);
        await run(['systemctl', 'revert', place.parent]);
      }),

    list: () =>
      inTurn(owner, async () => {
        const folders = await kernel.list(place.path);
        // Whoever was killed while it removed the last of them may have left the group of all.
        if (folders.length === 0 && driver === 'cgroupfs') await kernel.remove(place.path);
        return folders.flatMap((folder) => deploymentOf(driver, owner, folder) ?? []).sort();
      }),
  };
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
