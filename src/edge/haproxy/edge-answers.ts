/**
 * The edge's own answers: files that HAProxy reads at its start, and the lines that select those of a backend. PURE.
 */
import { type FaultyBackend, faultPage, guessPage } from '../pages/fault-pages.ts';
import { cookiePage } from './domain-cookies.ts';

const faultyBackends: readonly FaultyBackend[] = ['api', 'pages', 'application', 'silent'];
const faultStatuses = [500, 502, 503, 504] as const;

/** Lines of a backend whose server does not answer, or not as one should. */
export function faults(backend: FaultyBackend, kind: 'html' | 'json'): string {
  return faultStatuses
    .map((status) => {
      const page = faultPage(backend, status);
      const type = kind === 'html' ? '"text/html; charset=utf-8"' : 'application/json';
      const headers = Object.entries(kind === 'html' ? page.htmlHeaders : page.headers);
      const lines = headers.map(([name, value]) => ` hdr ${name} '${value.replaceAll("'", `'"'"'`)}'`).join('');
      return `http-error status ${status} content-type ${type} file ${backend}-${status}.${kind}${lines}`;
    })
    .join('\n  ');
}

/** By name: of each fault of a backend a page and a document, and the refusals of requests. */
export function answerFiles(): Record<string, string> {
  const files: Record<string, string> = {};
  for (const backend of faultyBackends)
    for (const status of faultStatuses) {
      const page = faultPage(backend, status);
      files[`${backend}-${status}.html`] = page.html;
      files[`${backend}-${status}.json`] = page.json;
    }
  const bad = refusal('invalid_request', 'The request is not valid HTTP.', 'One Host header and a well-formed path.');
  files['400.json'] = bad;
  files['405-api.json'] = refusal('method_not_allowed', 'This method is not supported.', 'Use GET or POST.');
  files['408.json'] = refusal('request_timeout', 'The body did not arrive in time.', 'Send it at once, or try again.');
  files['414.json'] = refusal(
    'uri_too_long',
    'The address is longer than 4 KiB.',
    'Send the configuration as the body.',
  );
  files['429.json'] = refusal(
    'too_many_connections',
    'Too many connections from your address at once.',
    'Close some of them, or send requests one after another on one connection.',
  );
  files['429-guesses.html'] = guessPage.html;
  files['429-guesses.json'] = guessPage.json;
  files['431.html'] = cookiePage.html;
  files['431.json'] = refusal(
    'headers_too_large',
    'The headers are larger than 8 KiB, or more than 100.',
    'Send fewer or shorter headers.',
  );
  files['405.json'] = refusal('method_not_allowed', 'CONNECT is not offered.', 'Send the request to the site itself.');
  return files;
}

function refusal(code: string, error: string, hint: string): string {
  return JSON.stringify({ error, code, hint });
}
