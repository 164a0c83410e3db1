/** Fields of BERTH_TIERS and BERTH_STRANGERS that limit counts. */
import { type Caps, maxContainersPerDeployment, type StrangerCaps } from '../deployment/limits/count-limits.ts';
import { integer } from './setting-values.ts';

type CapField<K> = { cap: K; read: (text: string) => number };

const number = integer(0, 100_000);

/** Fields of plans. The default of a missing field depends on the number of deployments. */
export const capFields: Record<string, CapField<keyof Caps>> = {
  containers: { cap: 'containers', read: number },
  volumes: { cap: 'volumes', read: number },
  gpus: { cap: 'gpus', read: number },
  // A deployment's network has no more addresses, because an update needs twice as many.
  'deployment-containers': { cap: 'containersPerDeployment', read: integer(1, maxContainersPerDeployment) },
  'deployment-volumes': { cap: 'volumesPerDeployment', read: number },
};

export const strangerCapFields: Record<string, CapField<keyof StrangerCaps>> = {
  ...capFields,
  'session-containers': { cap: 'containersPerSession', read: number },
  'session-volumes': { cap: 'volumesPerSession', read: number },
};

/** Undefined if none of the fields is given. */
export function readCaps<K extends string>(
  known: Record<string, CapField<K>>,
  fields: ReadonlyMap<string, string>,
): Partial<Record<K, number>> | undefined {
  const caps: Partial<Record<K, number>> = {};
  for (const [name, { cap, read }] of Object.entries(known)) {
    const given = fields.get(name);
    if (given !== undefined) caps[cap] = read(given);
  }
  return Object.keys(caps).length > 0 ? caps : undefined;
}
