/** PURE. The pages and JSON answers of a site without a ready pod, one for each state of its deployment. */
import type { Health } from '../../deployment/status/deployment-health.ts';
import {
  type PageAnswer as Answer,
  busyStates,
  failedStates,
  type Html,
  html,
  readyStates,
  reloadScript,
  watchScript,
} from './page-layout.ts';

type PodState = { name: string; state: string };

/**
 * The public facts about the deployment of a host. Failures, logs and the configuration are reserved to the token's
 * holder.
 */
export type SiteState = {
  applicationName: string;
  environment: string;
  state: Health | 'removed';
  /** 0 to 100. */
  progress?: number;
  pods?: PodState[];
  /** The operator has stopped it. */
  isSuspended?: boolean;
  /** It runs, but a part of it is currently not served. */
  isIncomplete?: boolean;
  /** The paths that pods serve now. The edge may have looked up the route just before it existed. */
  paths?: string[];
  url?: string;
  /** Where its owner sees the rest. */
  dashboardUrl?: string;
  /** The host is a custom domain with other DNS targets, too. */
  isElsewhere?: boolean;
};

export function deploying(site: SiteState): Answer {
  const percent = Math.round(Math.min(100, Math.max(0, site.progress || 0)));
  return {
    status: 503,
    code: 'application_deploying',
    error: `Application ${site.applicationName} is being deployed: ${percent}%.`,
    hint: 'Try again in a few seconds.',
    retryAfterSeconds: 2,
    page: {
      title: `${percent}% · ${site.applicationName}`,
      mark: 'arriving',
      eyebrow: site.environment,
      heading: `${site.applicationName} is on its way`,
      body: html`<div class="gauge"><progress id="progress" max="100" value="${percent}" aria-label="Deployment progress" aria-valuetext="${percent}%">${percent}%</progress><output id="percent" for="progress" aria-hidden="true">${percent}%</output></div>
<p>Preparing its containers</p>
${podList(site)}`,
      note: 'This page loads the application as soon as it is live.',
      refreshSeconds: 3,
      script: watchScript,
    },
  };
}

/** The edge has held the request back for as long as it may. */
export function waking(site: SiteState): Answer {
  return {
    status: 503,
    code: 'application_waking',
    error: `Application ${site.applicationName} was not used for a while and is waking up.`,
    hint: 'Try again in a few seconds.',
    retryAfterSeconds: 2,
    page: {
      title: `Waking up · ${site.applicationName}`,
      mark: 'arriving',
      eyebrow: site.environment,
      heading: `${site.applicationName} is waking up`,
      body: html`<p>It was not used for a while, so it was asleep.</p>`,
      note: 'This page loads the application as soon as it is awake.',
      refreshSeconds: 5,
      script: reloadScript,
    },
  };
}

export function failed(site: SiteState): Answer {
  return {
    status: 502,
    code: 'application_failed',
    error: `Application ${site.applicationName} could not be deployed.`,
    hint: 'The owner finds the reason in its status (GET /getDeploymentStatus) and in the dashboard.',
    page: {
      title: `Failed · ${site.applicationName}`,
      mark: 'failing',
      eyebrow: site.environment,
      heading: `${site.applicationName} could not start`,
      body: html`<p>The owner finds the reason in its status and can correct the configuration. This address stays the same.</p>
${link(site.dashboardUrl, 'It is mine: show the reason')}`,
      note: 'Reload this page after an update.',
    },
  };
}

export function stopped(site: SiteState): Answer {
  return {
    status: 503,
    code: 'application_stopped',
    error: `Application ${site.applicationName} is stopped.`,
    hint: 'Its owner can start it again: it keeps this address and its data.',
    page: {
      title: `Stopped · ${site.applicationName}`,
      mark: 'away',
      eyebrow: site.environment,
      heading: `${site.applicationName} is stopped`,
      body: html`<p>Its owner has stopped it, and can start it again at any time. It keeps this address and its data.</p>
${link(site.dashboardUrl, 'It is mine: start it')}`,
      note: 'Reload this page when it has been started.',
    },
  };
}

/** The status shows the reason, which only the owner may read. */
export function suspended(site: SiteState): Answer {
  return {
    status: 503,
    code: 'application_suspended',
    error: `Application ${site.applicationName} is suspended.`,
    hint: 'The operator of this service has suspended it. Its owner can read the reason in its status.',
    page: {
      title: `Suspended · ${site.applicationName}`,
      mark: 'away',
      eyebrow: site.environment,
      heading: `${site.applicationName} is suspended`,
      body: html`<p>The operator of this service has suspended this application.</p>
${link(site.dashboardUrl, 'It is mine: show the reason')}`,
      note: 'Reload this page later.',
    },
  };
}

export function interrupted(site: SiteState): Answer {
  return {
    status: 503,
    code: 'application_incomplete',
    error: `A part of application ${site.applicationName} is not available at the moment.`,
    hint: 'Try again in a few seconds.',
    retryAfterSeconds: 5,
    page: {
      title: `Back in a moment · ${site.applicationName}`,
      mark: 'failing',
      eyebrow: site.environment,
      heading: `A part of ${site.applicationName} is not there`,
      body: html`<p>The pod that serves this address is not available now. It is restarted as soon as possible.</p>
${link(site.dashboardUrl, 'It is mine: show the reason')}`,
      note: 'This page reloads automatically.',
      refreshSeconds: 5,
      script: reloadScript,
    },
  };
}

export function unserved(site: SiteState, path: string): Answer {
  const shown = path.length > 120 ? `${path.slice(0, 120)}…` : path;
  return {
    status: 404,
    code: 'no_pod_for_path',
    error: `Application ${site.applicationName} is running, but no pod serves this path.`,
    hint: "Pods are reached below the 'path' that their configuration gives.",
    page: {
      title: `Not found · ${site.applicationName}`,
      mark: 'away',
      eyebrow: site.environment,
      heading: 'No pod serves this path',
      body: html`<p>${site.applicationName} is running, but none of its pods has a public path that covers <code>${shown}</code>.</p>${link(site.url, 'Go to its start page')}`,
      note: "Pods are reached below the 'path' that their configuration gives.",
    },
  };
}

export function gone(site: SiteState): Answer {
  const isExpired = site.state === 'expired';
  const what = isExpired ? 'has expired' : 'was removed';
  const why = isExpired ? 'Its time limit has passed, and its containers are gone.' : 'It was taken down by its owner.';
  const hint = 'While its data is kept, its owner can restore it at this address (POST /restoreDeployment).';
  return {
    status: 410,
    code: isExpired ? 'application_expired' : 'application_removed',
    error: `Application ${site.applicationName} ${what}.`,
    hint,
    page: {
      title: `${isExpired ? 'Expired' : 'Removed'} · ${site.applicationName}`,
      mark: 'away',
      eyebrow: site.environment,
      heading: `${site.applicationName} ${what}`,
      body: html`<p>${why}</p><p>${hint}</p>
${link(site.dashboardUrl, 'It was mine: restore it, or deploy it again')}`,
      note: 'Its data cannot be reached at this address.',
    },
  };
}

export function unknown(host: string): Answer {
  return {
    status: 404,
    code: 'site_not_found',
    error: 'Nothing is deployed at this host.',
    hint: 'Check the address for a typing error.',
    page: {
      title: 'Nothing here',
      mark: 'away',
      eyebrow: host,
      heading: 'Nothing is deployed here',
      body: html`<p>No application answers at <code>${host}</code>. The address may have a typing error, or the deployment may be long gone.</p>`,
      note: 'Addresses of deployments are two words and the name of the application.',
    },
  };
}

function podList(site: SiteState): Html | undefined {
  if (!site.pods?.length) return html`<ul id="pods" hidden></ul>`;
  const rows = site.pods.map(
    (pod) => html`<li class="${toneOf(pod.state)}"><b>${pod.name}</b><i>${pod.state}</i></li>`,
  );
  return html`<ul id="pods" aria-label="Pods">${rows}</ul>`;
}

function toneOf(state: string): string {
  if (readyStates.test(state)) return 'ready';
  if (failedStates.test(state)) return 'alarm';
  return busyStates.test(state) ? 'busy' : 'waiting';
}

function link(url: string | undefined, words: string): Html | undefined {
  return url && /^https?:\/\//.test(url) ? html`<p><a href="${url}">${words}</a></p>` : undefined;
}
