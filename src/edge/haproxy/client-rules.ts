/** Finds the client of a request, and limits its share of the edge. Parts of HAProxy's configuration. Pure. */
import type { EdgeSettings } from '../edge-settings.ts';

/** One network a line. */
export const trustedProxiesFile = 'trusted-proxies.lst';

/** Proxies one behind the other that the address of the client may have passed: a CDN, a balancer, a web server. */
const maxHops = 5;

/** A condition on an address, in `src` or a variable. Containers are never proxies, even if the list contains them. */
export function isTrusted(address: string, { networkPool }: Pick<EdgeSettings, 'networkPool'>): string {
  return `{ ${address} -m ip -f ${trustedProxiesFile} } !{ ${address} -m ip ${networkPool} }`;
}

/**
 * Limits the connections per client, for IPv6 per network of 64 bits. Above the limit, a request is answered with 429.
 * Connections above twice the limit are closed at once, because a client that sends no request would never be answered.
 * A trusted proxy has many clients and no limit.
 */
export function connectionLimits(settings: EdgeSettings): string {
  const { limits, trustedProxies, proxyProtocol } = settings;
  const max = limits.connectionsPerClient;
  const isTrusting = trustedProxies.length > 0;
  const trusted = isTrusted('src', settings);
  // A session begins after the TLS handshake, so clients that stop before that would not be counted.
  const stage = settings.tls && !proxyProtocol ? 'connection' : 'session';
  return [
    // From then on, `src` is the client named by the proxy. From other clients the same bytes are an invalid request.
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
