/** Faults of what runs on the engine, made behind the back of the service. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { tableName } from '../../src/engine/docker/firewall/rules.ts';
import type { Owned } from '../../src/engine/engine.ts';
import { installationId } from '../../src/store/installation.ts';
import type { Berth } from '../scenarios/berth.ts';
import { byHand, workloadsOf } from '../scenarios/by-hand.ts';
import type { Fault, Scene } from './fault.ts';

const run = promisify(execFile);

export const engineFaults: Fault[] = [
  onContainers('container-paused', (workload) => byHand.pause!(workload)),
  onContainers('container-disconnected', (workload) => byHand.takeOffNetwork!(workload)),
  onContainers('container-removed', (workload) => byHand.remove(workload)),
  removed('volume-removed', ['workload', 'volume']),
  removed('network-removed', ['network']),
  firewallFlushed(),
];

function onContainers(name: string, tamper: (workload: Owned) => Promise<void>): Fault {
  return {
    name,
    async strike({ berth, app }) {
      for (const workload of await workloadsOf(berth, app)) await tamper(workload);
      return undefined;
    },
    // The service reads what is wrong with a container from the engine.
    isMended: async ({ berth, app }) => {
      const workloads = await workloadsOf(berth, app);
      return workloads.length > 0 && workloads.every(({ tampering }) => tampering === undefined);
    },
  };
}

/** The volume of the engine is removed; what is in it has a file system of its own. */
function removed(name: string, kinds: Owned['kind'][]): Fault {
  return {
    name,
    async strike({ berth, app }: Scene, repaired) {
      const { id } = await berth.row(app);
      const isVolume = kinds.includes('volume');
      // A running service would make the container again before the volume is removed.
      if (isVolume) await berth.end('SIGKILL');
      const { owned } = await berth.inventory();
      for (const kind of kinds)
        for (const object of owned.filter((each) => each.kind === kind && each.deploymentId === id))
          await byHand.remove(object);
      repaired();
      if (isVolume) await berth.serve();
      return undefined;
    },
  };
}

function firewallFlushed(): Fault {
  let before = 0;
  return {
    name: 'firewall-flushed',
    async strike({ berth }) {
      before = await rulesOf(berth);
      if (before === 0) throw new Error('The firewall rules are missing.');
      await run('nft', ['flush', 'table', 'inet', await tableOf(berth)]);
      return undefined;
    },
    isMended: async ({ berth }) => (await rulesOf(berth)) >= before,
  };
}

async function tableOf(berth: Berth): Promise<string> {
  return tableName((await berth.query(installationId)) ?? '');
}

async function rulesOf(berth: Berth): Promise<number> {
  const { stdout } = await run('nft', ['--stateless', 'list', 'table', 'inet', await tableOf(berth)]);
  return stdout.split('\n').filter((line) => /\b(accept|drop|jump|reject)\b/.test(line)).length;
}
