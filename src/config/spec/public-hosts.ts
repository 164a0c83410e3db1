/** At which hosts visitors reach a pod: the deployment's own, and names below the custom domain. Pure. */
import type { AppSpec, PodSpec } from './spec.ts';

/** A pod of a subdomain leaves the deployment's own host to the one that has the same path there. */
export function isAtOwnHost(pod: PodSpec, { pods }: Pick<AppSpec, 'pods'>): boolean {
  if (!isPublic(pod)) return false;
  if (pod.subdomain === undefined) return true;
  const rivals = pods.filter(({ path }) => path === pod.path);
  return rivals.every(({ subdomain }) => subdomain !== undefined) && rivals[0] === pod;
}

/** The name of a pod that is reached at one of its own, once that is proven. */
export function subdomainOf({ url }: Pick<AppSpec, 'url'>, pod: PodSpec): string | undefined {
  if (url === undefined || pod.subdomain === undefined || !isPublic(pod)) return undefined;
  // As names of domains are kept.
  return `${pod.subdomain}.${url}`.toLowerCase().replace(/\.$/, '');
}

/** A job has ended before it could be visited. */
function isPublic({ path, resourceType }: PodSpec): boolean {
  return path !== undefined && resourceType !== 'job';
}
