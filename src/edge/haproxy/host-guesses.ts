/**
 * Limits how many nonexistent hosts a client may try. Environments are words of a list: without a limit, a client that
 * knows the name of an application finds its site within seconds. Parts of HAProxy's configuration. Pure.
 */

import type { EdgeSettings } from '../edge-settings.ts';
import { guessPage } from '../pages/fault-pages.ts';
import { isTrusted } from './client-rules.ts';

/** State pages that a client is shown for each guess: they ask the database too, once a second during a deploy. */
const pagesPerGuess = 20;

const refusals = {
  json: 'http-request return status 429 content-type application/json file 429-guesses.json hdr Retry-After 60',
  html: `http-request return status 429 content-type "text/html; charset=utf-8" file 429-guesses.html hdr Retry-After 60 hdr Cache-Control no-store hdr Content-Security-Policy "${guessPage.policy}"`,
} as const;

/**
 * A client is an IPv6 network of 64 bits, or in the applications' pool the /25 of one deployment. A client above the
 * limit only reaches sites that it has visited before; otherwise, a site that is not refused would be revealed as live.
 */
export function guessRules({ guessRate, networkPool }: EdgeSettings): string {
  const isOver = `{ var(txn.client),table_gpc0_rate(guesses) gt ${guessRate.count} }`;
  const isVisited = '{ var(txn.visit),in_table(visits) }';
  return [
    'http-request set-var(txn.client) src,ipmask(32,64)',
    `http-request set-var(txn.client) src,ipmask(25) if { src ${networkPool} }`,
    'http-request set-var(txn.visit) var(txn.client),concat(/,txn.host),sha1',
    `${refusals.html} if browser !api ${isOver} !${isVisited}`,
    `${refusals.json} if !api ${isOver} !${isVisited}`,
    'http-request track-sc1 var(txn.visit) table visits if { var(txn.route) -m found }',
  ].join('\n  ');
}

/**
 * For a backend of the state pages. Their answer decides whether the host was a guess, so only few requests may be in
 * progress.
 */
export function guessCounting(settings: EdgeSettings, kind: 'html' | 'json'): string {
  const { count } = settings.guessRate;
  const isProxy = settings.trustedProxies.length > 0 ? ` unless ${isTrusted('src', settings)}` : '';
  return [
    `http-request track-sc1 var(txn.client) table guesses${isProxy}`,
    `${refusals[kind]} if { sc1_http_req_rate(guesses) gt ${count * pagesPerGuess} } || { sc1_conn_cur(guesses) gt ${count} }`,
    'http-response sc-inc-gpc0(1) if { res.hdr(x-berth-state) -m str unknown }',
    'http-response track-sc2 var(txn.visit) table visits if { res.hdr(x-berth-state) -m found } !{ res.hdr(x-berth-state) -m str unknown }',
  ].join('\n  ');
}

/** 100,000 entries of each are some 10 MB. */
export function guessTables({ guessRate }: EdgeSettings): string {
  return `backend guesses
  stick-table type ipv6 size 100k expire ${guessRate.windowMs + 60_000} store gpc0_rate(${guessRate.windowMs}),http_req_rate(${guessRate.windowMs}),conn_cur
backend visits
  stick-table type binary len 20 size 100k expire 1h store conn_cur
`;
}
