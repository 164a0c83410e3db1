/** The next requests for a deployment, as addresses that need only the token. Pure. */

import type { Deployment } from '../../deployment/deployment.ts';
import { dashboardPath } from '../../deployment/deployment-names.ts';

/** Many proxies time out after 60 seconds without a byte. Clients repeat the request. */
const waitSeconds = '50';

export type Links = {
  status: string;
  events: string;
  logs: string;
  update: string;
  claim?: string;
  dashboard?: string;
};

/**
 * @param callerKind The kind of the caller. An account may have several applications of one name, in different environments.
 */
export function linksOf(
  { applicationName, environment, claimedAt }: Pick<Deployment, 'applicationName' | 'environment' | 'claimedAt'>,
  { baseUrl, callerKind, hasDashboard }: { baseUrl: URL; callerKind: 'session' | 'account'; hasDashboard: boolean },
): Links {
  const which: Record<string, string> = callerKind === 'account' ? { environment } : {};
  const linkTo = (path: string, query: Record<string, string> = {}) => {
    const url = new URL(path, baseUrl);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url.href;
  };
  const named = { applicationName, ...which };
  return {
    status: linkTo('/getDeploymentStatus', { ...named, wait: waitSeconds }),
    events: linkTo('/getDeploymentEvents', named),
    logs: linkTo('/getDeploymentLogs', named),
    update: linkTo('/updateUserDeployment', which),
    ...(claimedAt === null && { claim: linkTo('/claimDeployment') }),
    ...(hasDashboard && {
      dashboard: linkTo(dashboardPath({ environment, applicationName })),
    }),
  };
}
