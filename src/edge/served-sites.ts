/** From the store's rows to what the edge needs: the sites that are served, and the state of the one at a host. */

import type { Site } from '../deployment/site.ts';
import { statusAt } from '../deployment/status/deployment-health.ts';
import type { Database } from '../store/database.ts';
import { deploymentByLabel } from '../store/deployments.ts';
import type { StoredRoutes } from '../store/routes.ts';
import type { SiteState } from './pages/site-pages.ts';

export function sitesOf(routes: readonly StoredRoutes[], appsDomain: string): Site[] {
  return routes.map(({ label, endpoints }) => ({ host: `${label}.${appsDomain}`, endpoints }));
}

/** The state of the deployment whose host this is; undefined for a host that nothing was deployed at. */
export async function siteState(
  db: Database,
  { host, appsDomain, baseUrl, now }: { host: string; appsDomain: string; baseUrl: URL; now: number },
): Promise<SiteState | undefined> {
  const suffix = `.${appsDomain}`;
  if (!host.endsWith(suffix)) return undefined;
  const deployment = await deploymentByLabel(db, host.slice(0, -suffix.length));
  if (!deployment) return undefined;
  const { applicationName, environment, progress } = deployment;
  const { health, pods: all } = statusAt(deployment, now);
  const state = deployment.removedAt !== null ? 'removed' : health;
  // How far its pods are is told while it is on its way.
  const pods = state === 'deploying' ? all.map(({ name, state }) => ({ name, state })) : undefined;
  const dashboardUrl = new URL(`/d/${[environment, applicationName].map(encodeURIComponent).join('/')}`, baseUrl).href;
  // Which path is whose stands in the configuration, sealed; that something is away is known here.
  const isIncomplete = state === 'degraded' && all.some((pod) => pod.state !== 'ready' && pod.state !== 'degraded');
  return {
    ...{ applicationName, environment, state, progress, dashboardUrl },
    ...(pods && { pods }),
    ...(isIncomplete && { isIncomplete }),
    paths: [...new Set(deployment.endpoints.map(({ path }) => path))],
  };
}
