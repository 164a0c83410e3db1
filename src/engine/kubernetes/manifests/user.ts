/** PURE. Whom a workload runs as. A cluster knows numbers only: names are the image's, which nobody has opened here. */
import type { Workload } from '../../../deployment/workload/workload.ts';
import { EngineFault } from '../../engine.ts';

export type UserNumbers = { runAsUser?: number; runAsGroup?: number; supplementalGroups?: number[] };

/** `root`, `1000`, `1000:1000`. Throws EngineFault for any other name. */
export function userOf({ pod, user, container = {} }: Pick<Workload, 'pod' | 'user' | 'container'>): UserNumbers {
  const [name, group] = user?.split(':') ?? [];
  const groups = container.groups?.map((each) => numberOf(each, pod));
  return {
    ...(name && { runAsUser: numberOf(name, pod) }),
    ...(group && { runAsGroup: numberOf(group, pod) }),
    ...(groups && { supplementalGroups: groups }),
  };
}

function numberOf(name: string, pod: string): number {
  if (name === 'root') return 0;
  if (/^\d{1,9}$/.test(name)) return Number(name);
  throw new EngineFault('bad-request', `on this cluster users and groups are numbers, and ${name} is none.`, {
    pods: [pod],
    hint: 'write the number that its image has for it, for example 1000',
  });
}
