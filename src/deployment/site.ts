/** Sites: the edge's view of a serving deployment. */
import type { RouteOptions } from '../config/spec/spec.ts';

/** One replica behind one public path of a deployment. Replicas of a path are endpoints with the same path. */
export type Endpoint = RouteOptions & {
  /** Starts with `/`, no trailing slash except for `/` itself. */
  path: string;
  /** IPv4 address. */
  address: string;
  port: number;
  /** The custom domain of this pod. Absent for the deployment's other hosts. */
  host?: string;
  /** Its deployment sleeps: requests wait at the edge until it is awake. The address has no meaning. */
  isAsleep?: true;
};

/** Returns the endpoints of a deployment that falls asleep. Their addresses are not in use any more. */
export function asleep(endpoints: readonly Endpoint[]): Endpoint[] {
  const all = endpoints.map((endpoint): Endpoint => ({ ...endpoint, address: noAddress, isAsleep: true }));
  return [...new Map(all.map((endpoint) => [printEndpoints([endpoint]), endpoint])).values()];
}

const noAddress = '0.0.0.0';

/** Returns whether both lists have the same routes and addresses. */
export function sameEndpoints(a: readonly Endpoint[], b: readonly Endpoint[]): boolean {
  return printEndpoints(a) === printEndpoints(b);
}

/** Returns the endpoints as text, in a canonical order. */
export function printEndpoints(endpoints: readonly Endpoint[]): string {
  const print = ({ host = '', path, address, port, stripPrefix, sticky, isAsleep }: Endpoint) =>
    `${host}${path} ${address}:${port}${stripPrefix ? ' stripPrefix' : ''}${sticky ? ' sticky' : ''}${isAsleep ? ' asleep' : ''}`;
  return endpoints.map(print).toSorted().join('\n');
}

/** The endpoints of a deployment, and the custom domains that lead to a single pod. */
export type Served = { endpoints: readonly Endpoint[]; ownHosts: readonly string[] };

/**
 * Returns the endpoints of a host. The custom domain of a single pod never shows another pod, even if its pod is not
 * running.
 */
export function endpointsAt(host: string, { endpoints, ownHosts }: Served): Endpoint[] {
  const isOwn = ownHosts.includes(host) || endpoints.some((endpoint) => endpoint.host === host);
  return endpoints.filter((endpoint) => endpoint.host === (isOwn ? host : undefined));
}

/** Returns the single-pod domains of `endpoints` and, while some are withdrawn, also the previous ones. */
export function ownHostsAfter(before: Served, endpoints: readonly Endpoint[], isWhole: boolean): string[] {
  const hostsOf = (all: readonly Endpoint[]) => all.flatMap(({ host }) => (host === undefined ? [] : [host]));
  const earlier = isWhole ? [] : [...before.ownHosts, ...hostsOf(before.endpoints)];
  return [...new Set([...earlier, ...hostsOf(endpoints)])].toSorted();
}

/** A deployment's host (one DNS label below the apps domain, or a proven custom domain) with its endpoints. */
export type Site = {
  host: string;
  endpoints: Endpoint[];
  /** Another host, to which visitors are redirected. */
  redirectTo?: string;
};
