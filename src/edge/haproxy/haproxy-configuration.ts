/** The files that HAProxy starts from, except the maps of the routes. Pure: the same settings give the same bytes. */
import { createHash } from 'node:crypto';
import { hostPattern, normalHost } from '../canonical-host.ts';
import type { EdgeSettings } from '../edge-settings.ts';
import { sentOn } from '../route-maps.ts';
import { proxyAccount } from '../sockets.ts';
import {
  clientRules,
  clientTable,
  connectionLimits,
  guessCounting,
  guessRules,
  guessTables,
  trustedProxiesFile,
} from './client-rules.ts';
import { answerFiles, faults, oversizedAnswers, oversizedHeads, ownCookies } from './domain-cookies.ts';
import { requestCounting, requestTable } from './request-counts.ts';
import { staleRules } from './stale-rules.ts';
import { stripRules } from './stripped-prefixes.ts';
import { httpsRules, plainRules, redirectCondition, tlsBinding, tlsDefaults } from './tls-rules.ts';
import { wakeFile, wakeLoading, wakeRules, wakeScript } from './waking.ts';

export const configurationFile = 'haproxy.cfg';
export const sitesMap = 'sites.map';
export const routesMap = 'routes.map';
export const endpointsMap = 'endpoints.map';

const siteLookUp = `http-request set-var(txn.site) var(txn.host),map(${sitesMap})`;

export type Configuration = {
  /** Files by name, written into HAProxy's working directory. */
  files: Record<string, string>;
  /** The description of the running HAProxy, which identifies its configuration. */
  fingerprint: string;
};

/**
 * Headers that identify the client to a server. CGI, WSGI and PHP do not distinguish `_` and `-` in their names. The
 * same applies to the length of the body.
 */
const identityHeaders = `^(x[-_]forwarded([-_].*)?|forwarded|x[-_]real[-_]ip|(x|true|cf)[-_](client|connecting)[-_]ip|x[-_](original|rewrite)[-_].*|x[-_]request[-_]id|x[-_]berth([-_].*)?|content_length|transfer_encoding|proxy|proxy[-_]connection|keep[-_]alive)$`;

const apiMethods = 'GET HEAD POST PUT PATCH DELETE OPTIONS';
/** A query with a token, a name and dates has some 200 bytes; a head with cookies some 2 KiB. */
const maxUrlBytes = 4096;
const maxHeadBytes = 8192;
const maxHeaders = 100;

/** @param asRoot HAProxy is started by root, and so can lock itself into the run directory and drop its privileges. */
export function proxyConfiguration(settings: EdgeSettings, asRoot: boolean): Configuration {
  const socket = `${asRoot ? '' : '../run'}/pages.sock`;
  const files = {
    ...answerFiles(),
    [wakeFile]: wakeScript(socket),
    [trustedProxiesFile]: settings.trustedProxies.map((each) => `${each}\n`).join(''),
  };
  const text = configurationText(settings, asRoot);
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([text, files]))
    .digest('hex')
    .slice(0, 16);
  return { files: { ...files, [configurationFile]: text.replace('@fingerprint@', fingerprint) }, fingerprint };
}

function configurationText(settings: EdgeSettings, asRoot: boolean): string {
  return `# Written by the service at each start; edits are lost.
global
  description @fingerprint@
  # normalize-uri
  expose-experimental-directives
  # Without it a second HAProxy of the same user would share the port silently instead of failing.
  noreuseport
  # In a container the limit of open files may be 2^30, which HAProxy would allocate tables for.
  fd-hard-limit 65536
  hard-stop-after 1h
  # What does not fit is answered in HAProxy's own words: heads that are only too large get ours.
  tune.bufsize 32768
  tune.http.maxhdr 256
  stats socket unix@admin.sock mode 600 level admin expose-fd listeners
  stats timeout 1d
  ${wakeLoading}
${tlsDefaults(settings)}${asRoot ? privileges : ''}
defaults base
  mode http
  timeout connect 5s
  timeout http-request ${settings.limits.requestTimeoutMs}
  timeout http-keep-alive 60s
  timeout client 60s
  timeout client-fin 30s
  timeout server 10m
  timeout tunnel 1h
  retries 2
  # Without it, the first event of a stream waits 200 ms for a second one (measured).
  option http-no-delay

# That a client has gone is only noticed where its connection is read before a backend is chosen; what it means is said there.
defaults listening from base
  option abortonclose

frontend public from listening
  ${bind(settings)}${settings.tls ? `\n  ${bind({ ...settings, port: settings.tls.port }, ` ${tlsBinding(settings.tls)}`)}` : ''}
  # Only request smuggling uses HTTP/2 without TLS.
  option disable-h2-upgrade
  http-error status 400 content-type application/json file 400.json
  unique-id-format %[uuid]
  # Hop by hop: the servers' own, which end after 5 seconds, are not ours.
  http-after-response del-header Keep-Alive
  http-after-response set-header X-Request-Id %[unique-id] unless { res.hdr(X-Request-Id) -m found }

  # No client takes the whole edge.
  ${connectionLimits(settings)}

  # One request, one host, one path.
  http-request return status 405 content-type application/json file 405.json if METH_CONNECT
  http-request return status 400 content-type application/json file 400.json if { req.fhdr_cnt(host) gt 1 }
  http-request set-var(txn.host) req.fhdr(host),regsub(:[0-9]*$,),regsub([.]$,),lower
  http-request return status 400 content-type application/json file 400.json unless { var(txn.host) -m reg '${hostPattern}' }
  http-request set-uri %[pathq] unless { url_beg / * }

  acl browser req.hdr(accept) -i -m sub text/html

  # The API has no use for large heads, and speaks JSON about what its server would say in other words.
  acl api var(txn.host) -m str ${apiHosts(settings).join(' ')}
  http-request return status 405 content-type application/json file 405-api.json hdr Allow 'GET, HEAD, POST' if api !{ method -m str ${apiMethods} }
  http-request return status 414 content-type application/json file 414.json if api { url,length gt ${maxUrlBytes} }
  ${oversizedHeads(maxHeadBytes, maxHeaders)}

  # Only the edge sets the headers that identify the client. The next proxy may drop a header that Connection names, so
  # clients cannot name any.
  ${clientRules(settings)}${httpsRules(settings)}
  acl websocket req.hdr(upgrade) -i websocket
  http-request del-header '${identityHeaders}' -m reg
  http-request del-header Upgrade unless websocket
  http-request del-header Connection unless websocket
  http-request set-header Connection upgrade if websocket
  http-request set-header X-Request-Id %[unique-id]
  http-request set-header X-Real-IP %[src]
  http-request set-header X-Forwarded-For %[src]
  http-request set-header X-Forwarded-Proto %[var(txn.proto)]
  http-request set-header X-Forwarded-Host %[req.fhdr(host)]

  # Paths that RFC 3986 calls equivalent become one, and the application receives the path that was looked up. Slashes
  # are merged at the start only: later slashes are data (/fetch/https://…). normalize-uri would change the query, so the
  # query is removed before and restored after it. %2F is not a slash.
  acl irregular path_sub % /. //
  http-request set-var(txn.query) query if !api irregular { url_sub ? }
  http-request set-pathq %[path] if !api irregular
  http-request normalize-uri percent-decode-unreserved strict if !api irregular
  http-request normalize-uri percent-to-uppercase strict if !api irregular
  http-request normalize-uri path-strip-dot if !api irregular
  http-request normalize-uri path-strip-dotdot full if !api irregular
  http-request set-path %[path,regsub(^/+,/)] if !api { path_beg // }
  http-request set-pathq %[path]?%[var(txn.query)] if { var(txn.query) -m found }

  # host → id of what it leads to; id + path + "/" → number of the route and of its endpoints → one of them.
  http-request set-var(txn.path) path
  ${siteLookUp} if !api
  ${wakeRules(siteLookUp)}
  # The same port: it is where the client has found us by this scheme.
  http-request set-var(txn.port) req.fhdr(host),regsub(^[^:]*,)
  http-request set-var(txn.target) var(txn.site),field(2,:) if { var(txn.site) -m beg ${sentOn} }
  http-request redirect code 308 location %[var(txn.proto)]://%[var(txn.target)]%[var(txn.port)]%[pathq] if { var(txn.target) -m found }${settings.tls ? redirectCondition(settings.tls) : ''}
  http-request set-var(txn.route) var(txn.site),concat(,txn.path,/),map_beg(${routesMap}) if { var(txn.site) -m found }
  http-request set-var(txn.number) var(txn.route),field(1,:) if { var(txn.route) -m found }
  http-request set-var(txn.count) var(txn.route),field(2,:) if { var(txn.route) -m found }
  http-request set-var(txn.pick) rand,mod(txn.count) if { var(txn.route) -m found }
  # The same client address, the same replica.
  http-request set-var(txn.pick) src,crc32,mod(txn.count) if { var(txn.route),field(3,:) -m str sticky }
  http-request set-var(txn.endpoint) var(txn.site),concat(/,txn.number),concat(/,txn.pick),map(${endpointsMap}) if { var(txn.route) -m found }
  http-request set-dst var(txn.endpoint),field(1,:) if { var(txn.endpoint) -m found }
  http-request set-dst-port var(txn.endpoint),field(2,:) if { var(txn.endpoint) -m found }
  http-request set-var(txn.strip) var(txn.endpoint),field(3,:) if { var(txn.endpoint) -m found }
  ${stripRules('txn.strip')}

  # Who looks for hosts does not find them.
  ${guessRules(settings)}

${plainRules(settings)}  use_backend registry if api { path -m reg ^/v2(/|$) }
  use_backend api-waiting if api { url_param(wait) -m found } or api { path /mcp /execInPod } or api { path_beg /git/ }
  use_backend api-browser if api browser
  use_backend api if api
${settings.isShared ? staleRules : ''}  use_backend application-once-browser if { var(txn.endpoint) -m found } !METH_GET browser
  use_backend application-once if { var(txn.endpoint) -m found } !METH_GET
  use_backend application-browser if { var(txn.endpoint) -m found } browser
  use_backend application if { var(txn.endpoint) -m found }
  # A route without its endpoint: the maps changed between two look-ups. Trying again helps.
  use_backend unreachable if { var(txn.route) -m found }
  use_backend pages-browser if browser
  default_backend pages

${[apiBackend('api', 'json', settings, asRoot), apiBackend('api-browser', 'html', settings, asRoot)].join('\n')}
# When a waiting client disconnects, its request ends, so that its place is free.
${apiBackend('api-waiting', 'json', settings, asRoot)}  option abortonclose

${registryBackend(asRoot)}
${[pagesBackend('pages', 'json', settings, asRoot), pagesBackend('pages-browser', 'html', settings, asRoot)].join('\n')}
${[applicationBackend('application', 'json', again), applicationBackend('application-browser', 'html', again)].join('\n')}
${[applicationBackend('application-once', 'json', once), applicationBackend('application-once-browser', 'html', once)].join('\n')}
${settings.isShared ? [silentBackend('silent', 'json'), silentBackend('silent-browser', 'html')].join('\n') : ''}
${requestTable}
${clientTable}
${guessTables(settings)}
backend unreachable from base
  http-request return status 503 content-type application/json file application-503.json hdr Retry-After 1
`;
}

/**
 * HAProxy changes its root to the run directory. Its sockets then have short paths, and it needs no access to the
 * directories above.
 */
const privileges = `  user ${proxyAccount}
  group ${proxyAccount}
  chroot ../run
`;

/**
 * A new connection for each request. A reused one might be closed at the moment of a handover, and a request that
 * cannot be repeated would be lost. New connections to a Unix socket are cheap.
 */
const toService = 'option http-server-close';

function apiBackend(name: string, kind: 'html' | 'json', { limits }: EdgeSettings, asRoot: boolean): string {
  return `backend ${name} from base
  ${toService}
  ${faults('api', kind)}
  http-error status 408 content-type application/json file 408.json
  http-request wait-for-body time ${limits.requestTimeoutMs}
  http-request set-header X-Berth-Client %[src]
  server api unix@${asRoot ? '' : '../run'}/api.sock
`;
}

/** Layers of several gigabytes are streamed. HAProxy does not wait for the body, and does not limit its length. */
function registryBackend(asRoot: boolean): string {
  return `backend registry from base
  ${toService}
  ${faults('api', 'json')}
  http-request set-header X-Berth-Client %[src]
  server registry unix@${asRoot ? '' : '../run'}/images.sock
`;
}

function pagesBackend(name: string, kind: 'html' | 'json', settings: EdgeSettings, asRoot: boolean): string {
  return `backend ${name} from base
  ${toService}
  ${guessCounting(settings, kind)}
  ${faults('pages', kind)}
  server pages unix@${asRoot ? '' : '../run'}/pages.sock
`;
}

/**
 * Repeatable requests are sent again if an endpoint closes the connection without an answer, as idle connections may
 * be.
 */
const again = 'retry-on conn-failure empty-response';

/** Other requests use a new connection. It costs a handshake, but cannot be one that is about to be closed. */
const once = `http-reuse never
  option http-server-close`;

/**
 * The address is set per request (set-dst). Idle connections are stored by address, so a connection never serves
 * another endpoint.
 */
function applicationBackend(name: string, kind: 'html' | 'json', connections: string): string {
  return `backend ${name} from base
  ${requestCounting}
  ${connections}
  ${ownCookies}${kind === 'html' ? `\n  ${oversizedAnswers}` : ''}
  ${faults('application', kind)}
  server endpoint 0.0.0.0:0
`;
}

/** Without a server, each request is answered as a fault. */
function silentBackend(name: string, kind: 'html' | 'json'): string {
  return `backend ${name} from base
  ${faults('silent', kind)}
`;
}

function bind({ host, port }: Pick<EdgeSettings, 'host' | 'port'>, how = ''): string {
  if (!/^[0-9A-Za-z.:*[\]-]+$/.test(host)) throw new Error(`Not a host to listen on: ${JSON.stringify(host)}`);
  if (!Number.isInteger(port) || port < 1 || port > 65535) throw new Error(`Not a port to listen on: ${port}`);
  const bare = host.replace(/^\[|\]$/g, '');
  // All addresses need two sockets. With one, IPv4 clients would appear as ::ffff:a.b.c.d.
  if (bare === '::') return `bind 0.0.0.0:${port}${how}\n  bind ipv6@:::${port}${how} v6only`;
  return `bind ${bare.includes(':') ? 'ipv6@' : ''}${bare}:${port}${how}`;
}

function apiHosts(settings: EdgeSettings): string[] {
  return settings.apiHosts.map((host) => {
    const normal = normalHost(host);
    if (!normal) throw new Error(`Not a host for the API: ${JSON.stringify(host)}`);
    return normal;
  });
}
