/** The doctor's checks of names, ports and handshakes. It contacts only hosts in the operator's own settings. */
import { lookup } from 'node:dns/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { networkInterfaces } from 'node:os';
import { connect, type PeerCertificate } from 'node:tls';
import { bad, type Check, good, type Observation, unknown, warn } from './check.ts';
import type { Answer, ObservedPort } from './names-and-ports.ts';

/** The time limit of each query. The queries of one run are concurrent. */
export const patienceMs = 10_000;

/** A short message for the fault, without secrets: an error's code, or its message. */
export async function observe<T>(work: () => Promise<T>, limitMs = patienceMs): Promise<Observation<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Observation<T>>((resolve) => {
    timer = setTimeout(() => resolve({ fault: `no answer in ${limitMs / 1000} s` }), limitMs);
  });
  const done = work().then(
    (value) => ({ value }),
    (error: NodeJS.ErrnoException) => ({ fault: error.code ?? error.message }),
  );
  return await Promise.race([done, late]).finally(() => clearTimeout(timer));
}

export function addressesOf(host: string): Promise<Observation<string[]>> {
  return observe(async () => (await lookup(host, { all: true })).map(({ address }) => address));
}

export function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
}

/** Requests the service's liveness path. If it terminates TLS, HTTP is answered with a redirect or a page of ours. */
export async function probePort({ scheme, host, port }: Omit<ObservedPort, 'answer'>): Promise<ObservedPort> {
  const answer = await new Promise<Answer>((resolve) => {
    const options = { host, port, path: '/healthz', timeout: patienceMs, agent: false } as const;
    // Another check covers the trust in the certificate.
    const outgoing =
      scheme === 'http'
        ? requestHttp(options)
        : requestHttps({ ...options, rejectUnauthorized: false, servername: host });
    outgoing.on('timeout', () => outgoing.destroy(Object.assign(new Error('timeout'), { code: 'timeout' })));
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ kind: 'none', code: error.code ?? error.message }),
    );
    outgoing.on('response', (incoming) => {
      const status = incoming.statusCode ?? 0;
      // The edge sends this header with each response.
      const isOurs =
        incoming.headers['x-request-id'] !== undefined && (status === 200 || status === 308 || status === 503);
      const isRedirect = status === 308 && incoming.headers.location?.startsWith(`https://${host}`) === true;
      resolve(isOurs || isRedirect ? { kind: 'berth' } : { kind: 'other', status });
      outgoing.destroy();
    });
    outgoing.end();
  });
  return { scheme, host, port, answer };
}

/** The certificate shown to a browser for this host, at its public address. */
export function shownCertificate(host: string, port: number): Promise<Observation<Shown>> {
  return observe(
    () =>
      new Promise<Shown>((resolve, reject) => {
        const socket = connect({ host, port, servername: host, rejectUnauthorized: false, timeout: patienceMs });
        socket.once('timeout', () => socket.destroy(new Error(`no answer in ${patienceMs / 1000} s`)));
        socket.once('error', reject).once('secureConnect', () => {
          const leaf = socket.getPeerCertificate(true);
          const { authorizationError } = socket;
          resolve({
            issuer: String(leaf.issuer?.O ?? leaf.issuer?.CN ?? 'nobody'),
            begunAt: Date.parse(leaf.valid_from),
            expiresAt: Date.parse(leaf.valid_to),
            chain: lengthOf(leaf),
            problem: authorizationError ? String(authorizationError) : undefined,
          });
          socket.destroy();
        });
      }),
  );
}

/** The length of the certificate chain, with the root if this machine knows it. */
function lengthOf(leaf: PeerCertificate | undefined): number {
  const seen = new Set<string>();
  for (let each = leaf as { fingerprint256?: string; issuerCertificate?: object } | undefined; each?.fingerprint256; ) {
    if (seen.has(each.fingerprint256)) break;
    seen.add(each.fingerprint256);
    each = each.issuerCertificate as typeof each;
  }
  return seen.size;
}

/**
 * Returns how far this clock is ahead of a server's clock. `root`: PEM, for a server that the machine does not trust.
 */
export function clockAhead(url: URL, root: string | undefined): Promise<Observation<number>> {
  return observe(
    () =>
      new Promise<number>((resolve, reject) => {
        const options = { method: 'HEAD', timeout: patienceMs, agent: false, ...(root !== undefined && { ca: root }) };
        const outgoing = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options);
        const begunAt = Date.now();
        outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer in ${patienceMs / 1000} s`)));
        outgoing.on('error', reject);
        outgoing.on('response', ({ headers }) => {
          const theirs = Date.parse(headers.date ?? '');
          outgoing.destroy();
          // The header has no fractions of a second. On average, half a second has passed.
          if (Number.isFinite(theirs)) resolve((begunAt + Date.now()) / 2 - theirs - 500);
          else reject(new Error('its answer has no date'));
        });
        outgoing.end();
      }),
  );
}

/** Checks whether browsers accept the presented certificates. Pure. */

/** The result of a handshake. `problem`: why a browser with this machine's roots would refuse it. */
export type Shown = { issuer: string; expiresAt: number; begunAt: number; chain: number; problem: string | undefined };

type ObservedCertificate = { name: string; host: string; shown: Observation<Shown> };

const dayMs = 24 * 3_600_000;

export function judgeCertificate({ name, host, shown }: ObservedCertificate, now: number): Check {
  if ('fault' in shown) {
    if (/unrecognized|alert|no certificate/i.test(shown.fault))
      return bad(
        name,
        `${host} is shown no certificate.`,
        'It is ordered when its name is served. The log has the reason why it has not arrived.',
      );
    return bad(name, `No handshake with ${host}: ${shown.fault}.`, 'See port-https.');
  }
  const { issuer, expiresAt, begunAt, chain, problem } = shown.value;
  const days = Math.floor((expiresAt - now) / dayMs);
  if (expiresAt <= now) return bad(name, `${host}: its certificate has expired ${-days} days ago.`, renew);
  if (problem !== undefined)
    return bad(
      name,
      `${host}: browsers refuse its certificate of ${issuer} (${problem}); ${chain} in its chain.`,
      'Put the whole chain into the file. Use an authority that browsers trust. For your own authority, set NODE_EXTRA_CA_CERTS so that this command trusts it.',
    );
  const words = `${host}: a certificate of ${issuer}, ${chain} in its chain, ${days} days left`;
  // Most programs renew when a third of the lifetime is left. If only a sixth is left, the renewal does not work.
  return expiresAt - now < Math.min(14 * dayMs, (expiresAt - begunAt) / 6)
    ? warn(name, `${words}.`, renew)
    : good(name, `${words}.`);
}

const renew = 'See the log of the service, which says why it was not renewed.';

type OrderState = { host: string; failures: number; problem: string | null };

/**
 * Returns the failed orders for the service's own names. Certificates of custom domains are the concern of their
 * owners.
 */
export function failedOrders(
  states: readonly OrderState[],
  { baseUrl, appsDomain }: { baseUrl: URL; appsDomain: string },
): { host: string; problem: string }[] {
  return states.flatMap(({ host, failures, problem }) => {
    const isOurs = host === baseUrl.hostname || host.endsWith(`.${appsDomain}`);
    return isOurs && failures > 0 && problem !== null ? [{ host, problem }] : [];
  });
}

/** Uses the store's rows: for each host with a failed order, the authority's message. */
export function judgeOrders(orders: Observation<readonly { host: string; problem: string }[]>): Check {
  const name = 'certificate-orders';
  if ('fault' in orders) return unknown(name, `The orders could not be read: ${orders.fault}.`, 'See database.');
  const [first, ...more] = orders.value;
  if (!first) return good(name, 'The last order of each certificate succeeded.');
  const others = more.length === 0 ? '' : ` So have ${more.length} others.`;
  return bad(
    name,
    `The last order for ${first.host} has failed: ${first.problem}.${others}`,
    'It is retried automatically, within six hours.',
  );
}
