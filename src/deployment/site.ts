/** Sites: what the edge needs to know of a deployment that serves. */
import type { RouteOptions } from '../config/spec/spec.ts';

/** One replica behind one public path of a deployment. Replicas of a path are endpoints with the same path. */
export type Endpoint = RouteOptions & {
  /** Starts with `/`, no trailing slash except for `/` itself. */
  path: string;
  /** IPv4 address. */
  address: string;
  port: number;
  /** The custom domain at which alone it is reached; absent for what all other hosts of the deployment show. */
  host?: string;
};

/** Whether these are the same routes, to the same addresses. */
export function sameEndpoints(a: readonly Endpoint[], b: readonly Endpoint[]): boolean {
  return printEndpoints(a) === printEndpoints(b);
}

/** The endpoints as text, in an order that does not depend on theirs. */
export function printEndpoints(endpoints: readonly Endpoint[]): string {
  const print = ({ host = '', path, address, port, stripPrefix, sticky }: Endpoint) =>
    `${host}${path} ${address}:${port}${stripPrefix ? ' stripPrefix' : ''}${sticky ? ' sticky' : ''}`;
  return endpoints.map(print).toSorted().join('\n');
}

/** Where a deployment is reached, and at which custom domains one pod alone is. */
export type Served = { endpoints: readonly Endpoint[]; ownHosts: readonly string[] };

/** What a host of the deployment shows. One that is a pod's alone shows nothing while that is away, and never another pod. */
export function endpointsAt(host: string, { endpoints, ownHosts }: Served): Endpoint[] {
  const isOwn = ownHosts.includes(host) || endpoints.some((endpoint) => endpoint.host === host);
  return endpoints.filter((endpoint) => endpoint.host === (isOwn ? host : undefined));
}

/** Those of `endpoints` where all are there; while some are withdrawn, those of before as well. */
export function ownHostsAfter(before: Served, endpoints: readonly Endpoint[], isWhole: boolean): string[] {
  const hostsOf = (all: readonly Endpoint[]) => all.flatMap(({ host }) => (host === undefined ? [] : [host]));
  const earlier = isWhole ? [] : [...before.ownHosts, ...hostsOf(before.endpoints)];
  return [...new Set([...earlier, ...hostsOf(endpoints)])].toSorted();
}

/** A deployment's host (one DNS label below the apps domain, or a proven custom domain) with its endpoints. */
export type Site = {
  host: string;
  endpoints: Endpoint[];
  /** Another host, to which its visitors are sent instead. */
  redirectTo?: string;
};
