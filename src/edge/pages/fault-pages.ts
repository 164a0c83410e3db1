/** HAProxy's own responses if an endpoint does not respond or the service is down. Pure. */
import { html, reloadScript, renderPage } from './page-layout.ts';

export type Fault = {
  html: string;
  json: string;
  headers: Record<string, string>;
  htmlHeaders: Record<string, string>;
};

type Words = { code: string; error: string; heading: string; hint: string };

/** The backends with responses of HAProxy itself. `silent`: an edge whose deadline for routes has passed. */
export type FaultyBackend = 'api' | 'pages' | 'application' | 'silent';

/** Each backend needs all of these. 500 is HAProxy's own failure, most likely out of memory. */
export function faultPage(backend: FaultyBackend, status: 500 | 502 | 503 | 504): Fault {
  const { code, error, heading, hint } = words(backend, status);
  const page = renderPage({
    title: heading,
    mark: backend === 'application' ? 'failing' : 'away',
    eyebrow: `${status}`,
    heading,
    body: html`<p>${error}</p><p>${hint}</p>`,
    note: 'This page reloads automatically.',
    refreshSeconds: 5,
    script: reloadScript,
  });
  const headers = { 'Retry-After': '5', 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex' };
  const htmlHeaders = { ...headers, 'Content-Security-Policy': page.policy, 'Referrer-Policy': 'no-referrer' };
  return { html: page.html, json: JSON.stringify({ error, code, hint }), headers, htmlHeaders };
}

/** For a client that has requested too many nonexistent hosts. */
export const guessPage = (() => {
  const error = 'Your address has requested many sites that do not exist.';
  const hint = 'Sites that you have visited before stay reachable. Try others again in a minute.';
  const heading = 'Too many wrong addresses';
  const body = html`<p>${error}</p><p>${hint}</p>`;
  const note = 'Addresses of deployments are two words and the name of the application.';
  const page = renderPage({ title: heading, mark: 'away', eyebrow: '429', heading, body, note });
  return { html: page.html, json: JSON.stringify({ error, code: 'rate_limited', hint }), policy: page.policy };
})();

function words(backend: FaultyBackend, status: number): Words {
  if (backend === 'silent')
    return {
      code: 'edge_silent',
      heading: 'Back in a moment',
      error: 'This server has received no routes for a while, so it does not forward requests.',
      hint: 'The application itself may be well. Try again in a few seconds.',
    };
  if (backend !== 'application')
    return {
      code: 'service_unavailable',
      heading: 'Back in a moment',
      error: 'The service is not running right now, or is just starting.',
      hint: 'Applications that are already running stay reachable. Try again in a few seconds.',
    };
  if (status === 504)
    return {
      code: 'application_timeout',
      heading: 'The application takes too long',
      error: 'The application accepted the request but has not responded for 10 minutes.',
      hint: 'Its logs may say what it is waiting for.',
    };
  if (status === 502)
    return {
      code: 'application_bad_response',
      heading: 'The application closed the connection',
      error: 'The application closed the connection, or its response was not HTTP.',
      hint: 'Its first service port must speak HTTP. Its logs may say what went wrong.',
    };
  return {
    code: 'application_unreachable',
    heading: 'The application does not respond',
    error: 'Its container accepts no connection right now: it may be restarting.',
    hint: 'Try again in a few seconds.',
  };
}
