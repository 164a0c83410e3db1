/**
 * PURE. The user of a workload. A cluster only accepts numbers: names are defined in the image, which is not opened
 * here.
 */
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

/**
 * The group that owns a volume, so that users other than root can write to it: the group of the workload's user, or
 * else of the image's. Undefined for root, which does not need one, and for names, which were not resolved.
 */
export function volumeGroupOf(workload: Pick<Workload, 'user'>, imageUser = ''): number | undefined {
  const [user = '', group = user] = (workload.user ?? imageUser).split(':');
  return isNumber(group) && Number(user) !== 0 && Number(group) !== 0 ? Number(group) : undefined;
}

const isNumber = (name: string) => /^\d{1,9}$/.test(name);

function numberOf(name: string, pod: string): number {
  if (name === 'root') return 0;
  if (isNumber(name)) return Number(name);
  throw new EngineFault(
    'bad-request',
    `on this cluster, users and groups must be numbers, and ${name} is not a number.`,
    {
      pods: [pod],
      hint: 'write the number that its image has for it, for example 1000',
    },
  );
}
