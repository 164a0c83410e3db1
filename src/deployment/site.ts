/** Sites: what the edge needs to know of a deployment that serves. */

/** One replica behind one public path of a deployment. Replicas of a path are endpoints with the same path. */
export type Endpoint = {
  /** Starts with `/`, no trailing slash except for `/` itself. */
  path: string;
  /** IPv4 address. */
  address: string;
  port: number;
  /** The custom domain at which alone it is reached; absent for what all other hosts of the deployment show. */
  host?: string;
};

/** What a host of the deployment shows: what is its alone, where there is something. */
export function endpointsAt(host: string, endpoints: readonly Endpoint[]): Endpoint[] {
  const own = endpoints.filter((endpoint) => endpoint.host === host);
  return own.length > 0 ? own : endpoints.filter((endpoint) => endpoint.host === undefined);
}

/** A deployment's host (one DNS label below the apps domain, or a proven custom domain) with its endpoints. */
export type Site = {
  host: string;
  endpoints: Endpoint[];
  /** Another host, to which its visitors are sent instead. */
  redirectTo?: string;
};
