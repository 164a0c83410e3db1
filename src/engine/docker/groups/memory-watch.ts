/**
 * The watch on the memory of all deployments: while hardly any is left, those furthest above their requests are made to
 * go first, see `goes-first.ts`. Nothing of it is stored: whose turn it is stands in the kernel, with each process.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { runRounds } from '../../../lib/rounds.ts';
import { firstScore, type HeldByContainer, type HeldByDeployment, scoreOf, whoGoesFirst } from './goes-first.ts';
import type { Groups } from './groups.ts';

const lookEveryMs = 1_000;

export type MemoryWatchOptions = {
  /** Told after each look how many containers would go first. */
  report: (count: number) => void;
  log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
};

/** Looks once a second until the abort; resolves when the last look has ended. */
export async function watchMemory(groups: Groups, options: MemoryWatchOptions, stop: AbortSignal): Promise<void> {
  const look = createMemoryLook(groups, options);
  const { ended } = runRounds({
    name: 'memory',
    everyMs: lookEveryMs,
    signal: stop,
    work: async () => options.report(await look()),
    onFault: (err) => options.log.error({ err }, 'the memory of deployments cannot be read; trying again'),
  });
  await ended;
}

/** One look, which mends what is amiss; how many containers go first after it. */
export function createMemoryLook(groups: Groups, { log }: Pick<MemoryWatchOptions, 'log'>): () => Promise<number> {
  const { kernel, place, limitBytes } = groups;
  /** A service before this one may have left some. */
  let before: ReadonlySet<string> | undefined;

  return async () => {
    await groups.limit();
    const all = await kernel.memoryOf(place.path).catch(unlessAbsent);
    if (!all) return 0;
    const isTight = whoGoesFirst(anybody, all.heldBytes, limitBytes).size > 0;
    if (!isTight && before?.size === 0) return 0;
    const deployments = await Promise.all((await groups.list()).map((id) => readDeployment(groups, id)));
    if (kernel.version === 2) await handDown(groups, deployments);
    const chosen = whoGoesFirst(deployments, all.heldBytes, limitBytes);
    for (const { deploymentId, containers } of deployments)
      for (const container of containers) {
        const { id, requestedBytes } = container;
        if (chosen.has(id)) await setScores(groups, deploymentId, id, firstScore);
        else if (before?.has(id) ?? true)
          await setScores(groups, deploymentId, id, scoreOf(requestedBytes, limitBytes));
        if (chosen.has(id) && !before?.has(id))
          log.info({ deployment: deploymentId, container: id.slice(0, 12) }, 'goes first: memory is nearly used up');
      }
    before = chosen;
    return chosen.size;
  };
}

/** Somebody who would go first as soon as it is tight. */
const anybody = [{ deploymentId: '', containers: [{ id: '', heldBytes: 1, requestedBytes: 0 }] }];

async function readDeployment({ kernel, pathOf }: Groups, deploymentId: string): Promise<HeldByDeployment> {
  const path = pathOf(deploymentId);
  const found = (await kernel.list(path)).map(async (id): Promise<HeldByContainer[]> => {
    const memory = await kernel.memoryOf(`${path}/${id}`).catch(unlessAbsent);
    return memory ? [{ id, ...memory }] : [];
  });
  return { deploymentId, containers: (await Promise.all(found)).flat() };
}

/** With version 2, what was requested for a container is kept for it as far as the groups above have as much to keep. */
async function handDown({ kernel, place, pathOf }: Groups, deployments: readonly HeldByDeployment[]): Promise<void> {
  let all = 0;
  for (const { deploymentId, containers } of deployments) {
    const requested = containers.reduce((sum, { requestedBytes }) => sum + requestedBytes, 0);
    await kernel.setRequest(pathOf(deploymentId), requested).catch(unlessAbsent);
    all += requested;
  }
  await kernel.setRequest(place.path, all).catch(unlessAbsent);
}

/** Of all processes of a container; those that it makes meanwhile have their parent's. */
async function setScores({ kernel, pathOf }: Groups, deploymentId: string, id: string, score: number): Promise<void> {
  const processes = (await kernel.processesOf(`${pathOf(deploymentId)}/${id}`).catch(unlessAbsent)) ?? [];
  for (const pid of processes) {
    const file = `/proc/${pid}/oom_score_adj`;
    const is = await readFile(file, 'utf8').catch(unlessAbsent);
    if (is !== undefined && Number(is) !== score) await writeFile(file, `${score}`).catch(unlessAbsent);
  }
}

/** It has ended meanwhile. */
function unlessAbsent({ code, message }: NodeJS.ErrnoException): undefined {
  if (code !== 'ENOENT' && code !== 'ESRCH' && code !== 'ENODEV') throw new Error(message);
}
