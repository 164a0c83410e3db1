/** Whether browsers take what is shown to them. Pure. */
import { bad, type Check, good, type Look, unknown, warn } from './check.ts';

/** The result of a handshake. `problem`: why a browser with this machine's roots would refuse it. */
export type Shown = { issuer: string; expiresAt: number; begunAt: number; chain: number; problem: string | undefined };

export type CertificateSeen = { name: string; host: string; shown: Look<Shown> };

const dayMs = 24 * 3_600_000;

export function judgeCertificate({ name, host, shown }: CertificateSeen, now: number): Check {
  if ('fault' in shown) {
    if (/unrecognized|alert|no certificate/i.test(shown.fault))
      return bad(
        name,
        `${host} is shown no certificate.`,
        'It is ordered when its name is served: the log says why it has not come.',
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
      'Put the whole chain into the file, from an authority that browsers know. One of your own: NODE_EXTRA_CA_CERTS has this command trust it.',
    );
  const words = `${host}: a certificate of ${issuer}, ${chain} in its chain, ${days} days left`;
  // Programs renew when a third is left: with a sixth, something does not work.
  return expiresAt - now < Math.min(14 * dayMs, (expiresAt - begunAt) / 6)
    ? warn(name, `${words}.`, renew)
    : good(name, `${words}.`);
}

const renew = 'See the log of the service, which says why it was not renewed.';

type OrderState = { host: string; failures: number; problem: string | null };

/** Of the service's own names: whether an account's custom domain can have a certificate is its owner's affair. */
export function failedOrders(
  states: readonly OrderState[],
  { baseUrl, appsDomain }: { baseUrl: URL; appsDomain: string },
): { host: string; problem: string }[] {
  return states.flatMap(({ host, failures, problem }) => {
    const isOurs = host === baseUrl.hostname || host.endsWith(`.${appsDomain}`);
    return isOurs && failures > 0 && problem !== null ? [{ host, problem }] : [];
  });
}

/** The rows of the store: of each host whose order failed, the authority's words. */
export function judgeOrders(orders: Look<readonly { host: string; problem: string }[]>): Check {
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
