/** Finds the client of a request, and limits its share of the edge. Parts of HAProxy's configuration. Pure. */
import type { EdgeSettings } from '../edge-settings.ts';
import { guessPage } from '../pages/fault-pages.ts';

/** One network per line. */
export const trustedProxiesFile = 'trusted-proxies.lst';

/** The maximum number of proxies in a chain before the client's address: a CDN, a load balancer, a web server. */
const maxHops = 5;

/** A condition on an address, in `src` or a variable. Containers are never proxies, even if the list contains them. */
export function isTrusted(address: string, { networkPool }: Pick<EdgeSettings, 'networkPool'>): string {
  return `{ ${address} -m ip -f ${trustedProxiesFile} } !{ ${address} -m ip ${networkPool} }`;
}

/**
 * Limits the connections per client, for IPv6 per /64 network. Above the limit, a request gets 429. Connections above
 * twice the limit are closed at once, because a client that sends no request would never get a response. A trusted
 * proxy has many clients and no limit.
 */
export function connectionLimits(settings: EdgeSettings): string {
  const { limits, trustedProxies, proxyProtocol } = settings;
  const max = limits.connectionsPerClient;
  const isTrusting = trustedProxies.length > 0;
  const trusted = isTrusted('src', settings);
  // A session begins after the TLS handshake, so clients that stop before that would not be counted.
  const stage = settings.tls && !proxyProtocol ? 'connection' : 'session';
  return [
    // From here on, `src` is the client that the proxy names. From other clients, the same bytes are an invalid
    // request.
    ...(isTrusting && proxyProtocol ? [`tcp-request connection expect-proxy layer4 if ${trusted}`] : []),
    `tcp-request ${stage} track-sc0 src,ipmask(32,64) table clients${isTrusting ? ` unless ${trusted}` : ''}`,
    `tcp-request ${stage} reject if { sc0_conn_cur(clients) gt ${max * 2} }`,
    `http-request return status 429 content-type application/json file 429.json hdr Retry-After 1 hdr Connection close if { sc0_conn_cur(clients) gt ${max} }`,
  ].join('\n  ');
}

/** The table forgets a client a minute after its last connection; 100,000 of them are some 10 MB. */
export const clientTable = `backend clients
  stick-table type ipv6 size 100k expire 1m store conn_cur
`;

/**
 * The client is the rightmost address of X-Forwarded-For that does not belong to a trusted proxy: clients can forge
 * everything left of it. If the chain contains something that is not an address, the client is the last proxy before
 * it.
 */
export function clientRules(settings: EdgeSettings): string {
  if (settings.trustedProxies.length === 0) return 'http-request set-var(txn.proto) str(http)';
  const hops = Array.from({ length: maxHops }, (_, index) => index + 1);
  const isProxy = (hop: number) => isTrusted(hop === 0 ? 'src' : `var(txn.hop${hop})`, settings);
  return [
    'http-request set-var(txn.proto) str(http)',
    `http-request set-var(txn.proto) str(https) if ${isProxy(0)} { req.fhdr(x-forwarded-proto) -i https }`,
    ...hops.map(
      (hop) => `http-request set-var(txn.hop${hop}) req.hdr_ip(x-forwarded-for,-${hop}) if ${isProxy(hop - 1)}`,
    ),
    ...hops.map((hop) => `http-request set-src var(txn.hop${hop}) if { var(txn.hop${hop}) -m found }`),
  ].join('\n  ');
}

/**
 * Limits how many nonexistent hosts a client may try. Environments are words of a list: without a limit, a client that
 * knows the name of an application finds its site within seconds. Parts of HAProxy's configuration. Pure.
 */

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
