/**
 * Decides which certificates are needed, and which to order now. Pure. Only Berth's own names and the names of serving
 * deployments are ordered. The host that a client requests in a handshake has no influence.
 */
import type { Instant } from '../../deployment/deployment.ts';
import type { CertificateWait } from '../../lib/certificate-report.ts';
import type { CertificateState } from '../../store/certificates.ts';

/** The last kind uses a permanent record (draft-ietf-acme-dns-persist). */
export type ChallengeKind = 'dns-01' | 'http-01' | 'dns-persist-01';

export type WantedCertificate = {
  /** `*.example.com` for all names directly below. */
  host: string;
  challenge: ChallengeKind;
  /** Whether it is one of the service's own names, to which no limits apply. */
  isOwn: boolean;
  /** An account's custom domain: it counts to no limit of the apps domain. */
  isCustom?: boolean;
  /** The owner of the custom domain. */
  accountId?: string;
};

export type Names = {
  apiHost: string;
  appsDomain: string;
  /** How a certificate for all applications is validated. Undefined: each application has its own. */
  wildcardBy: 'dns-01' | 'dns-persist-01' | undefined;
  /** Labels of deployments that serve, the newest first. */
  labels: readonly string[];
  /** Custom domains that are proven and lead here. */
  domains: readonly { name: string; accountId: string }[];
};

/** A certificate per host, so that the refusal of one host does not affect others. */
export function wantedCertificates({ apiHost, appsDomain, wildcardBy, labels, domains }: Names): WantedCertificate[] {
  const challenge = 'http-01' as const;
  const custom = inTurns(domains, ({ accountId }) => accountId).map(({ name: host, accountId }) => {
    return { host, challenge, isOwn: false, isCustom: true, accountId };
  });
  if (wildcardBy) {
    // One record that stays is enough: the host of the API is validated like any other host.
    const api = { host: apiHost, challenge: wildcardBy === 'dns-01' ? wildcardBy : challenge, isOwn: true };
    return [api, { host: `*.${appsDomain}`, challenge: wildcardBy, isOwn: true }, ...custom];
  }
  return [
    { host: apiHost, challenge, isOwn: true },
    ...labels.map((label) => ({ host: `${label}.${appsDomain}`, challenge, isOwn: false })),
    ...custom,
  ];
}

/** Interleaves clients: the first order of each client comes before any second order. */
export function inTurns<T>(all: readonly T[], clientOf: (one: T) => string): T[] {
  const counts = new Map<string, number>();
  const placed = all.map((one) => {
    const place = counts.get(clientOf(one)) ?? 0;
    counts.set(clientOf(one), place + 1);
    return { one, place };
  });
  return placed.toSorted((a, b) => a.place - b.place).map(({ one }) => one);
}

/**
 * PURE. Returns the orders to place now: at most `most` in progress, by host, and at most `maxOfAccount` per account.
 * Hanging orders of one account do not delay other accounts.
 */
export function nextOrders<T extends WantedCertificate>(
  orders: readonly T[],
  {
    wanted,
    underWay,
    most,
    maxOfAccount,
  }: {
    wanted: readonly WantedCertificate[];
    underWay: ReadonlySet<string>;
    most: number;
    maxOfAccount: number;
  },
): T[] {
  const busy = wanted.filter(({ host }) => underWay.has(host)).map(({ accountId }) => accountId);
  const next: T[] = [];
  for (const order of orders) {
    if (underWay.size + next.length >= most) break;
    const { host, accountId } = order;
    const ofAccount = [...busy, ...next.map((each) => each.accountId)].filter((each) => each === accountId).length;
    if (underWay.has(host) || (accountId !== undefined && ofAccount >= maxOfAccount)) continue;
    next.push(order);
  }
  return next;
}

export type Order = WantedCertificate & { because: 'first' | 'renewal'; failures: number };

/** Orders that must wait. `limit`: of the authority. `failed`: until the next attempt. */
export type Waiting = { host: string; because: 'limit' | 'failed'; until: Instant };

export type CertificatePlan = { orders: Order[]; waiting: Waiting[] };

export const weekMs = 7 * 24 * 3_600_000;

/**
 * The maximum number of orders of an account in three hours. Let's Encrypt allows 300; the rest is left for manual
 * tries.
 */
const ordersInThreeHours = 250;
/**
 * The share for first certificates of custom domains, which any user can add, so that they do not delay applications
 * and renewals.
 */
const customInThreeHours = 60;
const threeHoursMs = 3 * 3_600_000;

/**
 * Returns the orders at `now`, the most urgent first: the service's own names, certificates that end soonest, then new
 * names in their order. @param maxInWeek new certificates for deployments in seven days. Renewals do not count, nor do
 * names outside of `appsDomain`, whether they are still wanted or not.
 */
export function planOrders(
  wanted: readonly WantedCertificate[],
  states: readonly CertificateState[],
  { now, maxInWeek, appsDomain }: { now: Instant; maxInWeek: number; appsDomain: string },
): CertificatePlan {
  const known = new Map(states.map((state) => [state.host, state]));
  const own = new Set(wanted.filter(({ isOwn }) => isOwn).map(({ host }) => host));
  const isOfApps = ({ host }: CertificateState) => host.endsWith(`.${appsDomain}`);
  const counted = states.filter(
    (state) => !own.has(state.host) && isOfApps(state) && isWithin(state.firstIssuedAt, weekMs, now),
  );
  const lately = states.filter(({ orderedAt }) => isWithin(orderedAt, threeHoursMs, now));
  const customLately = lately.filter(
    (state) => !own.has(state.host) && !isOfApps(state) && (state.firstIssuedAt ?? now) >= state.orderedAt,
  );
  let leftInWeek = maxInWeek - counted.length;
  let leftNow = ordersInThreeHours - ordersOf(lately, now);
  let leftForCustom = customInThreeHours - ordersOf(customLately, now);
  const weekEnd = endOf(
    counted.map(({ firstIssuedAt }) => firstIssuedAt!),
    weekMs,
    now,
  );
  const [ordersEnd, customEnd] = [lately, customLately].map((orders) => {
    const instants = orders.map(({ orderedAt }) => orderedAt);
    return endOf(instants, threeHoursMs, now);
  }) as [Instant, Instant];
  const plan: CertificatePlan = { orders: [], waiting: [] };

  const due = wanted.flatMap((each) => {
    const state = known.get(each.host);
    const because = isServed(state, now) ? 'renewal' : 'first';
    if (because === 'renewal' && state!.renewAt! > now) return [];
    return [{ ...each, because, failures: state?.failures ?? 0, state } as const];
  });
  const urgency = ({ isOwn, because }: (typeof due)[number]) => (isOwn ? 0 : because === 'renewal' ? 1 : 2);
  const endsAt = ({ state }: (typeof due)[number]) => state?.expiresAt ?? 0;
  due.sort((a, b) => urgency(a) - urgency(b) || (a.because === 'renewal' ? endsAt(a) - endsAt(b) : 0));

  for (const { state, ...order } of due) {
    const { host, isOwn, isCustom = false, because } = order;
    const isNewCustom = isCustom && because === 'first';
    const isNew = !isOwn && !isCustom && because === 'first' && !isWithin(state?.firstIssuedAt, weekMs, now);
    if (state && state.nextTryAt > now) plan.waiting.push({ host, because: 'failed', until: state.nextTryAt });
    else if (isNew && leftInWeek <= 0) plan.waiting.push({ host, because: 'limit', until: weekEnd });
    else if (!isOwn && leftNow <= 0) plan.waiting.push({ host, because: 'limit', until: ordersEnd });
    else if (isNewCustom && leftForCustom <= 0) plan.waiting.push({ host, because: 'limit', until: customEnd });
    else {
      plan.orders.push(order);
      leftNow -= 1;
      if (isNew) leftInWeek -= 1;
      if (isNewCustom) leftForCustom -= 1;
    }
  }
  return plan;
}

/** Returns the number of orders for these hosts in the last three hours. */
function ordersOf(states: readonly CertificateState[], now: Instant): number {
  return states.reduce((sum, state) => sum + ordersLately(state, now), 0);
}

/**
 * Only the last order and the number of consecutive failures are stored. The times of earlier orders follow from the
 * pauses between them.
 */
function ordersLately({ orderedAt, failures, problem }: CertificateState, now: Instant): number {
  let orders = 1;
  let at = orderedAt;
  // An order in progress has not failed yet.
  for (let before = failures - (problem === null ? 1 : 2); before >= 0; before--) {
    at -= retryMs(before, 0);
    if (!isWithin(at, threeHoursMs, now)) break;
    orders += 1;
  }
  return orders;
}

/** Returns why each host has no certificate yet. During an order, its row already contains the time of the next one. */
export function waitingHosts(
  { orders, waiting }: CertificatePlan,
  states: readonly CertificateState[],
  now: Instant,
): Map<string, CertificateWait> {
  const known = new Map(states.map((state) => [state.host, state]));
  const isUnderWay = (host: string) => known.get(host)?.problem === null;
  const held = waiting
    .filter(({ host }) => !isServed(known.get(host), now))
    .map(({ host, because, until }): [string, CertificateWait] => {
      return [host, because === 'failed' && isUnderWay(host) ? { because: 'ordered' } : { because, until }];
    });
  const first = orders.filter(({ because }) => because === 'first');
  return new Map([...held, ...first.map(({ host }): [string, CertificateWait] => [host, { because: 'ordered' }])]);
}

/** Returns whether browsers accept the certificate. */
export function isServed(state: CertificateState | undefined, now: Instant): boolean {
  return state !== undefined && state.expiresAt !== null && state.expiresAt > now;
}

/**
 * Returns the rows that can be deleted: the host is not wanted, its certificate has expired, and it no longer counts
 * toward a limit.
 */
export function forgettable(
  wanted: readonly WantedCertificate[],
  states: readonly CertificateState[],
  now: Instant,
): string[] {
  const hosts = new Set(wanted.map(({ host }) => host));
  return states
    .filter((state) => !hosts.has(state.host) && !isServed(state, now))
    .filter(({ firstIssuedAt, orderedAt }) => {
      return !isWithin(firstIssuedAt, weekMs, now) && !isWithin(orderedAt, threeHoursMs, now);
    })
    .map(({ host }) => host);
}

const firstRetryMs = 60_000;
const longestRetryMs = 6 * 3_600_000;

/**
 * Returns the pause after consecutive failures: 1, 4, 16 minutes, up to 6 hours. Let's Encrypt allows five failures of
 * a host per hour, and the first hour has four. @param random from 0 to 1: spreads orders that failed together.
 */
export function retryMs(failures: number, random: number): number {
  return Math.min(longestRetryMs, firstRetryMs * 4 ** failures) * (1 + random / 4);
}

function isWithin(at: Instant | null | undefined, spanMs: number, now: Instant): boolean {
  // Times in the future were written by a clock that was set back.
  return at !== null && at !== undefined && at > now - spanMs && at <= now + spanMs;
}

/** Returns when the first of the instants no longer counts. */
function endOf(instants: readonly Instant[], spanMs: number, now: Instant): Instant {
  return Math.min(now + spanMs, ...instants.map((at) => at + spanMs));
}
