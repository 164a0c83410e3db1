/** Changes to running workloads behind the service's back: to containers by Docker, on a cluster by its API. */
import Docker from 'dockerode';
import type { Owned } from '../../src/engine/engine.ts';
import { runInside } from '../images/containers.ts';
import { type Berth, type Started, until } from './berth.ts';
import { engineOfTests } from './engine-of-tests.ts';

export type Hand = {
  /** Runs a program in a workload to its end. */
  run(workload: Owned, argv: string[]): Promise<void>;
  /** Ends its first process at once; the engine starts it again. */
  kill(workload: Owned): Promise<void>;
  /** Restarts it, with or without a kill: afterwards, the workload has one more start. */
  restart(workload: Owned): Promise<void>;
  /** So that nothing but the service starts it again. */
  stop(workload: Owned): Promise<void>;
  /** Only on Docker: freezes its processes, or takes it off its network. */
  pause?(workload: Owned): Promise<void>;
  takeOffNetwork?(workload: Owned): Promise<void>;
  /** At once, and so that only the service creates it again. A network is removed with the workloads that joined it. */
  remove(object: Owned): Promise<void>;
  /** A network of that name is there, or what bounds pods as it would. */
  hasNetwork(network: Owned): Promise<boolean>;
};

const docker = new Docker();
const onDocker: Hand = {
  run: async ({ id }, argv) => void (await runInside(docker.getContainer(id), argv)),
  kill: async ({ id }) => void (await docker.getContainer(id).kill()),
  restart: async ({ id }) => void (await docker.getContainer(id).restart({ t: 0 })),
  stop: async ({ id }) => void (await docker.getContainer(id).stop({ t: 0 })),
  pause: async ({ id }) => void (await docker.getContainer(id).pause()),
  async takeOffNetwork({ id }) {
    for (const network of Object.keys((await docker.getContainer(id).inspect()).NetworkSettings.Networks))
      await docker.getNetwork(network).disconnect({ Container: id });
  },
  async remove({ kind, id }) {
    if (kind === 'workload') await docker.getContainer(id).remove({ force: true }).catch(unlessGone);
    if (kind === 'volume') await docker.getVolume(id).remove();
    if (kind === 'network') await removeNetwork(docker.getNetwork(id));
  },
  hasNetwork: async ({ name }) => (await docker.listNetworks()).some(({ Name }) => Name === name),
};

/** Loaded only by tests that use a cluster. */
export const byHand: Hand =
  engineOfTests === 'docker' ? onDocker : (await import('../kubernetes/hand.ts')).handOfCluster;

/** The service, which finds it without containers, may put one on it again before it goes. */
async function removeNetwork(network: Docker.Network): Promise<void> {
  await until('the network is gone', async () => {
    const { Containers = {} } = await network.inspect();
    for (const container of Object.keys(Containers))
      await network.disconnect({ Container: container, Force: true }).catch(unlessGone);
    return await network.remove().then(() => true, isInUse);
  });
}

type Refusal = { statusCode?: number; message?: string };

function unlessGone({ statusCode, message }: Refusal): void {
  if (statusCode !== 404) throw new Error(message);
}

function isInUse({ statusCode, message }: Refusal): false {
  if (statusCode !== 403) throw new Error(message);
  return false;
}

/** The engine's objects of the deployment's pods, or of one of them: `web`, or of one revision of it `web-1`. */
export async function workloadsOf(berth: Berth, app: Started, pod = ''): Promise<Owned[]> {
  const { id } = await berth.row(app);
  const { owned } = await berth.inventory();
  const prefix = `berth-${id}-${pod && `${pod}-`}`;
  return owned.filter(
    ({ kind, deploymentId, name }) => kind === 'workload' && deploymentId === id && name.startsWith(prefix),
  );
}
