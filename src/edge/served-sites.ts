/** Converts the store's rows to the edge's view: the served sites, and the state of the site of a host. */

import type { Deployment } from '../deployment/deployment.ts';
import { dashboardPath } from '../deployment/deployment-names.ts';
import type { Domain } from '../deployment/domain/domain-state.ts';
import { type Endpoint, endpointsAt, type Site } from '../deployment/site.ts';
import { statusAt } from '../deployment/status/deployment-health.ts';
import type { Database } from '../store/database.ts';
import { deploymentById, deploymentByLabel } from '../store/deployments.ts';
import { domainAt } from '../store/domains.ts';
import type { RoutedDomain, StoredRoutes } from '../store/routes.ts';
import type { SiteState } from './pages/site-answers.ts';

/** A site for each host: the deployment's own, and its custom domains. */
export function sitesOf(routes: readonly StoredRoutes[], appsDomain: string): Site[] {
  const sites = routes.flatMap(({ label, domains, ...served }) => {
    const host = `${label}.${appsDomain}`;
    const named = domains.map((domain) => domainSite(domain, domains, endpointsAt(domain.name, served)));
    return [{ host, endpoints: endpointsAt(host, served) }, ...named];
  });
  // Several accounts may try to prove one name.
  return [...new Map(sites.map((site) => [site.host, site])).values()];
}

/** Redirects visitors to a name that is served. Until then, both names show the application. */
function domainSite(
  { name, redirectTo, isServed }: RoutedDomain,
  all: readonly RoutedDomain[],
  endpoints: Endpoint[],
): Site {
  if (!isServed) return { host: name, endpoints: [] };
  const target = all.find((other) => other.name === redirectTo);
  const isSentOn = target?.isServed && target.redirectTo === null && target.name !== name;
  return { host: name, endpoints, ...(isSentOn && { redirectTo: target.name }) };
}

/** Returns the state of the deployment with this host or custom domain. Undefined if the host was never used. */
export async function siteState(
  db: Database,
  { host, appsDomain, baseUrl, now }: { host: string; appsDomain: string; baseUrl: URL; now: number },
): Promise<SiteState | undefined> {
  const found = await deploymentAt(db, host, appsDomain);
  if (!found) return undefined;
  const { deployment, domain } = found;
  const { applicationName, environment, progress } = deployment;
  const { health, pods: all } = statusAt(deployment, now);
  const state = deployment.removedAt !== null ? 'removed' : health;
  // The state of the pods is only shown while it is deploying.
  const pods = state === 'deploying' ? all.map(({ name, state }) => ({ name, state })) : undefined;
  const dashboardUrl = new URL(dashboardPath(deployment), baseUrl).href;
  // The routes are in the sealed configuration. Only the availability of pods is known here.
  const isMissing = all.some((pod) => pod.state !== 'ready' && pod.state !== 'degraded');
  const endpoints = endpointsAt(host, deployment);
  const isAway = endpoints.length === 0 && deployment.ownHosts.includes(host);
  const isIncomplete = isAway || (state === 'degraded' && isMissing);
  return {
    applicationName,
    environment,
    state,
    progress,
    dashboardUrl,
    ...(pods && { pods }),
    ...(deployment.suspendedAt !== null && { isSuspended: true }),
    ...(isIncomplete && { isIncomplete }),
    ...(domain && domain.finding?.direction.kind !== 'here' && { isElsewhere: true }),
    paths: [...new Set(endpoints.map(({ path }) => path))],
  };
}

/** `domain`: where the host is a custom one. */
type Found = { deployment: Deployment; domain?: Domain };

/** Returns the deployment of a host: its own host, or a custom domain. */
export async function deploymentAt(db: Database, host: string, appsDomain: string): Promise<Found | undefined> {
  const suffix = `.${appsDomain}`;
  if (host.endsWith(suffix)) {
    const deployment = await deploymentByLabel(db, host.slice(0, -suffix.length));
    return deployment && { deployment };
  }
  const domain = await domainAt(db, host);
  const deployment = domain && (await deploymentById(db, domain.deploymentId));
  return deployment && { deployment, domain };
}
