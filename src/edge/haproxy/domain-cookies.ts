/**
 * Cookies for a whole domain: a page of one application can set them for all hosts of the apps domain, until servers
 * refuse requests because of their header size. Parts of HAProxy's configuration, and the page that removes the
 * cookies. Pure.
 */

import { type FaultyBackend, faultPage, guessPage } from '../pages/fault-pages.ts';
import { html, renderPage } from '../pages/page-layout.ts';

/** Servers refuse headers from 8 KiB on. With fewer cookies than half of that, a refusal has another cause. */
const manyCookieBytes = 4096;

/** A cookie with more attributes than these that give it a domain is dropped. */
const maxDomains = 3;

/**
 * Removes the Domain attribute from cookies of an application's server, so that browsers store them for its own host.
 * Cookies that a page's script sets for its domain stay, and a script can also remove those.
 */
export const ownCookies = [
  ...Array.from(
    { length: maxDomains },
    () =>
      String.raw`http-response replace-header Set-Cookie '(?i)^([^;]*(?:;.*)?);[ \t]*domain[ \t]*(?:=[^;]*)?(;.*)?$' '\1\2'`,
  ),
  String.raw`http-response replace-header Set-Cookie '(?i)^[^;]*;(?:.*;)?[ \t]*domain[ \t]*=.*$' 'berth-refused=; Max-Age=0'`,
].join('\n  ');

const headers = `hdr Cache-Control no-store hdr X-Frame-Options DENY`;

/**
 * Runs in a browser: removes the cookies that are visible here, for this host and each parent domain, and for each
 * path. Only on a click, because others could open a page that signs users out by itself. Browsers store cookies in
 * another process, so a request that is sent at once may still contain removed ones.
 */
const script = `
'use strict';
const button = document.querySelector('button');
button.hidden = false;
const present = () => document.cookie.split(';').map((cookie) => cookie.split('=')[0].trim());
button.onclick = () => {
  const names = present();
  const labels = location.hostname.split('.');
  const domains = ['', ...labels.map((_, index) => ';domain=' + labels.slice(index).join('.'))];
  const parts = location.pathname.split('/').slice(1);
  const folders = parts.map((_, index) => '/' + parts.slice(0, index + 1).join('/'));
  const paths = ['/', ...folders, ...folders.map((path) => path + '/')];
  for (const name of new Set(names))
    for (const domain of domains)
      for (const path of paths) document.cookie = name + '=;max-age=0;path=' + path + domain;
  again(names, 40);
};
const again = (names, tries) => {
  const isLeft = present().some((name) => name !== '' && names.includes(name));
  if (isLeft && tries > 0) setTimeout(again, 50, names, tries - 1);
  else location.reload();
};
`;

export const cookiePage = (() => {
  const heading = 'Too many cookies';
  const page = renderPage({
    title: heading,
    mark: 'failing',
    eyebrow: '431',
    heading,
    body: html`<p>Your browser sends more cookies to this address than its server takes. They may come from another site of the same domain.</p>
<p><button type="button" hidden>Remove the cookies of this address and try again</button></p>
<noscript><p>Remove the cookies of this address in the settings of your browser, and reload this page.</p></noscript>`,
    note: 'You may have to sign in again.',
    script,
  });
  return { html: page.html, policy: page.policy };
})();

const answer = `status 431 content-type "text/html; charset=utf-8" file 431.html ${headers} hdr Content-Security-Policy "${cookiePage.policy}"`;

/**
 * For the API's host. Heads almost as large as HAProxy's buffer have no `req.hdrs`, so the cookies are checked
 * separately.
 */
export function oversizedHeads(maxBytes: number, maxHeaders: number): string {
  const cookies = (max: number) => `{ req.fhdr(cookie),length gt ${max} }`;
  const isOversized = (also: string) =>
    [`{ req.hdrs,length gt ${maxBytes} }`, `{ req.fhdr_cnt gt ${maxHeaders} }`, cookies(maxBytes)]
      .map((condition) => `api ${also}${condition}`)
      .join(' || ');
  return [
    `http-request return ${answer} if ${isOversized(`browser ${cookies(manyCookieBytes)} `)}`,
    `http-request return status 431 content-type application/json file 431.json if ${isOversized('')}`,
  ].join('\n  ');
}

/** Replaces the responses of applications' servers to headers that are too large (431, and 400 with nginx). */
export const oversizedAnswers = [
  `http-request set-var(txn.cookies) req.fhdr(cookie),length`,
  `http-response return ${answer} if { status 400 431 } { var(txn.cookies) -m int gt ${manyCookieBytes} }`,
].join('\n  ');

/**
 * The edge's own responses: files that HAProxy reads at its start, and the lines that select those of a backend. PURE.
 */

const faultyBackends: readonly FaultyBackend[] = ['api', 'pages', 'application', 'silent'];
const faultStatuses = [500, 502, 503, 504] as const;

/** Returns the lines for a backend whose server does not respond, or responds incorrectly. */
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

/** Returns the files by name: a page and a document for each backend fault, and the refusals of requests. */
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
