/** Who gives way on a Docker host: a look at the processor, and one at the memory where the control groups are ours. */
import type Docker from 'dockerode';
import type { Fairness } from '../engine.ts';
import type { Groups } from './groups/groups.ts';
import { watchMemory } from './groups/memory-watch.ts';
import { isLocal } from './host/host-facts.ts';
import { watchProcessor } from './processor/processor-watch.ts';

/** Undefined where control groups are not ours to set: the engine is on another host, or this is not root. */
export function createFairness(docker: Docker, owner: string, groups: Groups | undefined): Fairness | undefined {
  if (!isLocal(docker) || process.getuid?.() !== 0) return undefined;
  return {
    async keep({ givingWay, goingFirst, log }, stop) {
      const processor = watchProcessor(docker, { owner, groups, report: givingWay, log }, stop);
      const memory = groups && watchMemory(groups, { report: goingFirst, log }, stop);
      await Promise.all([processor, memory]);
    },
  };
}
