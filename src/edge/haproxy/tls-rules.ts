/** HTTPS in HAProxy's configuration. Pure. */
import type { EdgeSettings, EdgeTls } from '../edge-settings.ts';
import { certificateList, certifiedMap } from './served-certificates.ts';

/**
 * Mozilla's intermediate list (https://wiki.mozilla.org/Security/Server_Side_TLS, 5.7) without finite-field
 * Diffie-Hellman. All clients that support it also support other ciphers, and it allows a denial of service
 * (CVE-2002-20001).
 */
const ciphers = ['ECDSA', 'RSA']
  .flatMap((kind) => [
    `ECDHE-${kind}-AES128-GCM-SHA256`,
    `ECDHE-${kind}-AES256-GCM-SHA384`,
    `ECDHE-${kind}-CHACHA20-POLY1305`,
  ])
  .join(':');
const suites = 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256';
const curves = 'X25519:prime256v1:secp384r1';

/**
 * Returns the TLS lines of the section `global`. Session tickets are off because their key would stay the same until
 * HAProxy restarts.
 */
export function tlsDefaults({ tls }: Pick<EdgeSettings, 'tls'>): string {
  if (!tls) return '';
  return `  ssl-default-bind-options ssl-min-ver TLSv1.2 no-tls-tickets prefer-client-ciphers
  ssl-default-bind-ciphers ${ciphers}
  ssl-default-bind-ciphersuites ${suites}
  ssl-default-bind-curves ${curves}
`;
}

/**
 * The options after the address of a `bind`. For a name without a certificate yet, the certificate of another name is
 * not shown.
 */
export function tlsBinding({ isIssued }: EdgeTls): string {
  return `ssl crt-list ${certificateList}${isIssued ? ' strict-sni' : ''} alpn h2,http/1.1`;
}

/** The path of an authority's token (RFC 8555, 8.3). Tenants can use all other paths below it. */
export const challengePath = '/[.]well-known/acme-challenge/([A-Za-z0-9_-]{16,128})';

/**
 * Redirects requests without TLS to HTTPS, with 308, so that forms are sent again. Programs on this machine may use the
 * API at its own address, which does not have a certificate, and an authority sends its requests before the first
 * certificate. A host without a certificate is not redirected, because the handshake would fail: the page server
 * explains the wait.
 */
export function httpsRules({ tls }: Pick<EdgeSettings, 'tls'>): string {
  if (!tls) return '';
  const port = tls.publicPort === 443 ? '' : `:${tls.publicPort}`;
  return `
  http-request set-var(txn.proto) str(https) if { ssl_fc }
  acl own-machine src 127.0.0.0/8 ::1
  acl own-machine-name var(txn.host) -m str localhost 127.0.0.1 [::1]
  acl by-https var(txn.proto) -m str https${tls.isIssued ? issued : ''}
  http-request redirect code 308 location https://%[var(txn.host)]${port}%[pathq] unless by-https || own-machine own-machine-name${tls.isIssued ? ' || challenge || uncertified' : ''}`;
}

const issued = `
  acl challenge-path path -m reg ^${challengePath}$
  http-request set-var(txn.challenge) bool(true) if challenge-path !by-https
  acl challenge var(txn.challenge) -m bool
  http-request set-var(txn.certified) var(txn.host),map(${certifiedMap})
  http-request set-var(txn.certified) 'var(txn.host),regsub(^[^.]+,*),map(${certifiedMap})' unless { var(txn.certified) -m found }
  http-request set-var(txn.uncertified) bool(true) unless by-https || own-machine own-machine-name || { var(txn.certified) -m found }
  acl uncertified var(txn.uncertified) -m bool`;

/** For a redirect to another custom name: only if this edge has its certificate. */
export function redirectCondition({ isIssued }: EdgeTls): string {
  return isIssued ? ` !challenge { var(txn.target),map(${certifiedMap}) -m found }` : '';
}

/** The page server knows the tokens, and the reason for a missing certificate. */
export function plainRules({ tls }: Pick<EdgeSettings, 'tls'>): string {
  if (!tls?.isIssued) return '';
  return `  use_backend pages if challenge
  use_backend pages-browser if uncertified browser
  use_backend pages if uncertified
`;
}
