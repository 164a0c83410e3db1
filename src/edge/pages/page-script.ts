/** The script of the page that visitors see while a deployment starts. */

export const readyStates = /^(ready|running|done|completed|succeeded)$/;
export const failedStates = /fail|crash|error|unhealthy|killed/;
export const busyStates = /^(?!waiting|pending).*ing$|^(created|started)$/;

/** A refused request is repeated by the browser itself, with its own method. */
export const reloadAfter = (seconds: number) => `setTimeout(()=>location.reload(),${seconds * 1000})`;
export const reloadScript = reloadAfter(5);

/**
 * Requests the same address as JSON. A response without our header is the application's, and one with another state is
 * another page of ours: in both cases, a reload shows it. A redirect leads to another origin, such as HTTPS, whose
 * response could not be read. A hidden page polls less often.
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
