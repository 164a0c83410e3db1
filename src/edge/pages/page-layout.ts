/** The shared layout of the edge's pages: one file each, without external resources. */
import { createHash } from 'node:crypto';
import { escapeHtml } from '../../lib/html.ts';
import { iconUrl } from '../../lib/icon.ts';

/** The script of the page that visitors see while a deployment starts. */

export const readyStates = /^(ready|running|done|completed|succeeded)$/;
export const failedStates = /fail|crash|error|unhealthy|killed/;
export const busyStates = /^(?!waiting|pending).*ing$|^(created|started)$/;

/** A refused request is repeated by the browser itself, with its own method. */
export const reloadAfter = (seconds: number) => `setTimeout(()=>location.reload(),${seconds * 1000})`;
export const reloadScript = reloadAfter(5);

/**
 * Requests the same address as JSON. A response without the edge's header comes from the application, and one with
 * another state is another page: in both cases, the script reloads. A redirect leads to another origin, such as HTTPS,
 * whose response could not be read. A hidden page polls less often.
 */
export const watchScript = `
'use strict';
const find = (id) => document.getElementById(id);
const tone = (state) => ${readyStates}.test(state) ? 'ready' : ${failedStates}.test(state) ? 'alarm' : ${busyStates}.test(state) ? 'busy' : 'waiting';
const put = (parent, name, text) => { const element = document.createElement(name); element.textContent = text; parent.append(element); return element; };
let shown = '';
function show(site) {
  const percent = Math.round(Math.min(100, Math.max(0, Number(site.progress) || 0)));
  const bar = find('progress');
  bar.value = percent;
  bar.setAttribute('aria-valuetext', percent + '%');
  find('percent').textContent = percent + '%';
  document.title = percent + '% · ' + site.applicationName;
  const pods = site.pods || [];
  if (JSON.stringify(pods) === shown) return;
  shown = JSON.stringify(pods);
  const list = find('pods');
  list.hidden = pods.length === 0;
  list.replaceChildren(...pods.map((pod) => {
    const row = document.createElement('li');
    row.className = tone(pod.state);
    put(row, 'b', pod.name);
    put(row, 'i', pod.state);
    return row;
  }));
}
async function ask() {
  try {
    const answer = await fetch(location.href, { headers: { accept: 'application/json' }, cache: 'no-store', redirect: 'manual' });
    const state = answer.headers.get('x-berth-state');
    if (state !== 'deploying' && (answer.headers.get('retry-after') === null || answer.headers.has('x-berth-certificate'))) return location.reload();
    if (state === 'deploying') show(await answer.json());
  } catch {}
  setTimeout(ask, document.hidden ? 5000 : 1000);
}
setTimeout(ask, 1000);
`;

/** The drawing above the text. */
export type Mark = 'arriving' | 'failing' | 'away';

export type Page = {
  title: string;
  mark: Mark;
  /** The small line above the heading. */
  eyebrow: string;
  heading: string;
  /** Paragraphs and lists below the heading. */
  body: Html;
  /** The quiet last line. */
  note: string;
  /** Reload after this long, in browsers without the script. */
  refreshSeconds?: number;
  script?: string;
};

const style = `
:root{color-scheme:light dark;--ground:#f6f7f6;--ink:#1b2733;--soft:#566472;--line:#dde3e6;--track:#e3e9eb;--sea:#1d7391;--ready:#2c7a55;--alarm:#b23a31}
@media (prefers-color-scheme:dark){:root{--ground:#0e141a;--ink:#e7edf2;--soft:#98a6b3;--line:#222d37;--track:#1f2a34;--sea:#62b6d2;--ready:#6cc598;--alarm:#ff938a}}
*{box-sizing:border-box;margin:0}
body{background:var(--ground);color:var(--ink);font:1rem/1.6 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,Inter,"Helvetica Neue",Arial,sans-serif;min-height:100vh;min-height:100svh;display:grid;grid-template-rows:1fr auto;overflow-wrap:anywhere;-webkit-text-size-adjust:100%}
main{width:100%;max-width:33rem;margin:auto;padding:3rem 1.5rem 2rem}
svg .water{fill:var(--ground);stroke:none}
svg.mark{display:block;width:6.5rem;height:4.875rem;margin:0 0 1.75rem -.25rem;color:var(--sea);overflow:visible}
.failing svg.mark .hull{color:var(--alarm)}
.eyebrow{color:var(--soft);font-size:.875rem;letter-spacing:.01em}
h1{font-size:clamp(1.6rem,1.25rem + 1.9vw,2.1rem);line-height:1.2;letter-spacing:-.022em;font-weight:640;margin:.3rem 0 .85rem;text-wrap:balance}
p{color:var(--soft);max-width:60ch}
p+p{margin-top:.75rem}
code{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;color:var(--ink)}
a{color:var(--sea);text-underline-offset:.2em}
.gauge{display:flex;align-items:center;gap:1rem;margin:1.75rem 0 .65rem}
progress{appearance:none;-webkit-appearance:none;flex:1;min-width:0;height:.5rem;border:0;border-radius:1rem;background:var(--track);color:var(--sea);overflow:hidden}
progress::-webkit-progress-bar{background:var(--track);border-radius:1rem}
progress::-webkit-progress-value{background:var(--sea);border-radius:1rem;transition:width .9s cubic-bezier(.3,.7,.3,1)}
progress::-moz-progress-bar{background:var(--sea);border-radius:1rem}
output{font-variant-numeric:tabular-nums;font-size:.9375rem;min-width:2.75rem;text-align:right}
ul{list-style:none;padding:0;margin:1.75rem 0 0;border-top:1px solid var(--line)}
li{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 .85rem;padding:.7rem 0;border-bottom:1px solid var(--line)}
li b{font-weight:560}
li i{font-style:normal;color:var(--soft);font-size:.9375rem;margin-left:auto}
li::before{content:"";width:.55rem;height:.55rem;border-radius:50%;border:2px solid var(--soft);align-self:center;opacity:.55}
li.busy::before{border-color:var(--sea);opacity:1}
li.ready::before{border-color:var(--ready);background:var(--ready);opacity:1}
li.alarm::before{border-color:var(--alarm);background:var(--alarm);opacity:1}
li.alarm i{color:var(--alarm)}
footer{max-width:33rem;width:100%;margin:0 auto;padding:0 1.5rem 1.75rem;color:var(--soft);font-size:.8125rem}
@keyframes swell{50%{transform:translateY(2.5px) rotate(-2.4deg)}}
@keyframes drift{to{transform:translateX(-24px)}}
@keyframes pulse{50%{opacity:.3}}
@media (prefers-reduced-motion:no-preference){
.arriving .hull{animation:swell 4.6s ease-in-out infinite;transform-origin:48px 50px}
.waves{animation:drift 7s linear infinite}
.failing .waves,.away .waves{animation-duration:16s}
li.busy::before{animation:pulse 1.6s ease-in-out infinite}
}
@media (prefers-reduced-motion:reduce){progress::-webkit-progress-value{transition:none}}
`;

/** A boat on two rows of waves. Without a site, only the waves with a buoy. */
const boat =
  '<g class="hull"><path d="M47 8v40M43.500 14C35 24 29 33 27.500 41h16zM51 19c6.500 7 11 14.500 12.500 22H51z"/><path d="M20 49h56l-7.500 11h-40z"/></g>';
const listing =
  '<g class="hull"><g transform="rotate(-13 48 52)"><path d="M47 10v38M43.500 16C35 26 29 34 27.500 41h16z"/><path d="M20 49h56l-7.500 11h-40z"/></g></g>';
const buoy =
  '<g class="hull"><path d="M48 24v9M42.500 33h11L58 60H38zM40.300 46h15.400"/><circle cx="48" cy="20.500" r="3.500"/></g>';
const drawings: Record<Mark, string> = { arriving: boat, failing: listing, away: buoy };

/** @returns the document, and the policy that allows only its own style and script. */
export function renderPage(page: Page): { html: string; policy: string } {
  const refresh = page.refreshSeconds
    ? html`<noscript><meta http-equiv="refresh" content="${page.refreshSeconds}"></noscript>`
    : undefined;
  const script = page.script ? markup(`<script>${page.script}</script>`) : undefined;
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${page.title}</title>
<link rel="icon" href="${iconUrl}">
${refresh}
<style>${markup(style)}</style>
</head>
<body class="${page.mark}">
<main>
<svg class="mark" viewBox="0 0 96 72" fill="none" stroke="currentColor" stroke-width="2.200" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${markup(drawings[page.mark])}${markup(waves)}</svg>
<p class="eyebrow">${page.eyebrow}</p>
<h1>${page.heading}</h1>
${page.body}
</main>
<footer>${page.note}</footer>
${script}
</body>
</html>
`;
  return { html: document.markup, policy: policy(page.script) };
}

/**
 * Wider than the picture by one wave length, which is the length of its drift. Filled below, so that the hull is in the
 * water.
 */
const swell = 'M-6 8q6-5 12 0t12 0 12 0 12 0 12 0 12 0 12 0 12 0 12 0 12 0 12 0 12 0 12 0';
const waves = `<svg y="52" width="96" height="20" viewBox="0 0 96 20"><g class="waves"><path class="water" d="${swell}V20H-6z"/><path d="${swell}"/></g></svg>`;

/** Style and script are constants, so hashes replace a nonce, and the page is a pure function of its values. */
function policy(script: string | undefined): string {
  const rules = [
    "default-src 'none'",
    `style-src '${hash(style)}'`,
    'img-src data:',
    ...(script ? [`script-src '${hash(script)}'`, "connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return rules.join('; ');
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** The content of an edge page before rendering: a page for people, JSON for programs. */
export type PageAnswer = {
  status: 404 | 410 | 502 | 503;
  code: string;
  error: string;
  hint: string;
  retryAfterSeconds?: number;
  page: Page;
};

/** Markup in which every inserted value is text unless it is markup itself. */

export type Html = { readonly markup: string };

type Inserted = string | number | Html | Html[] | undefined;

/** Escapes inserted values for element content and for quoted attributes. */
export function html(strings: TemplateStringsArray, ...values: Inserted[]): Html {
  return { markup: strings.reduce((markup, text, index) => markup + insert(values[index - 1]) + text) };
}

/** Markup that is ours: a constant, never a value from outside. */
function markup(text: string): Html {
  return { markup: text };
}

function insert(value: Inserted): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.map((part) => part.markup).join('');
  if (typeof value === 'object') return value.markup;
  return escapeHtml(String(value));
}
