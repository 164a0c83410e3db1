/** Places planned orders and stores the certificates. Only one process on the database does so at a time. */
import type { Kysely } from 'kysely';
import type { Instant } from '../../deployment/deployment.ts';
import type { Seal } from '../../lib/seal.ts';
import { orAbort } from '../../lib/wait.ts';
import {
  type CertificateState,
  certificateStates,
  deleteCertificates,
  planRenewal,
  recordOrder,
  recordOrderFailure,
  sealedCertificates,
  storeCertificate,
} from '../../store/certificates.ts';
import type { Tables } from '../../store/rows.ts';
import { write } from '../../store/transaction.ts';
import { readCertificate, uncovered } from '../certificates/certificate.ts';
import type { EdgeLog } from '../edge-settings.ts';
import { type Answerer, type Authority, renewalAt, suggestedRenewal } from './authority.ts';
import {
  forgettable,
  isServed,
  nextOrders,
  type Order,
  planOrders,
  retryMs,
  type WantedCertificate,
} from './certificate-plan.ts';

export type Issuing = {
  db: Kysely<Tables>;
  seal: Seal;
  now: () => Instant;
  random: () => number;
  log: EdgeLog;
  maxInWeek: number;
  appsDomain: string;
  wanted: () => Promise<WantedCertificate[]>;
  /** Orders that this process has placed and that have not ended, by their host. They never reject. */
  underWay: Map<string, Promise<void>>;
  /** Opened by the first order. */
  authority: () => Promise<Authority>;
  answerer: (signal: AbortSignal) => Answerer;
  /** Called when one more was issued and is in the store. */
  stored: () => void;
  /** Absent without mail to the operator. */
  alarm?: ((wanted: readonly WantedCertificate[], states: readonly CertificateState[]) => Promise<void>) | undefined;
};

/** An order waits for a hook twice, and for the authority. */
const longestOrderMs = 10 * 60_000;
/** A process that loses the duty has no order in progress any more. */
export const dutyMs = longestOrderMs + 5 * 60_000;

/** Authorities are slow rather than busy: some seconds an order. */
const ordersAtOnce = 4;
const ordersOfAccount = 2;
const questionsAtOnce = 20;
/** The pause after a failed query. */
const renewalCheckMs = 6 * 3_600_000;

/**
 * Places all due orders. Each order occupies a slot until it ends, so a hanging one only delays orders beyond the
 * limit. Never rejects because of the authority.
 */
export async function issueDue(issuing: Issuing, signal: AbortSignal): Promise<void> {
  const { db, now, maxInWeek, appsDomain, underWay } = issuing;
  const [wanted, states] = [await issuing.wanted(), await certificateStates(db)];
  const { orders } = planOrders(wanted, states, { now: now(), maxInWeek, appsDomain });
  const limits = { most: ordersAtOnce, maxOfAccount: ordersOfAccount };
  const next = nextOrders(orders, { ...limits, wanted, underWay: new Set(underWay.keys()) });
  for (const order of next) underWay.set(order.host, endOfOrder(issuing, order, signal));
  await issuing.alarm?.(wanted, states);
  if (orders.length > 0) return;
  await readRenewalTimes(issuing, wanted, states);
  await deleteCertificates(db, forgettable(wanted, states, now()));
}

async function endOfOrder(issuing: Issuing, order: Order, signal: AbortSignal): Promise<void> {
  try {
    await place(issuing, order, signal);
  } catch (err) {
    issuing.log.warn({ err, host: order.host }, 'an order of a certificate cannot be recorded');
  } finally {
    issuing.underWay.delete(order.host);
  }
}

async function place(issuing: Issuing, { host, challenge, because, failures }: Order, signal: AbortSignal) {
  const { db, seal, now, random, log } = issuing;
  const nextTryAt = Math.round(now() + retryMs(failures, random()));
  await recordOrder(db, { host, now: now(), nextTryAt });
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(longestOrderMs)]);
    const authority = await issuing.authority();
    const replaces = because === 'renewal' ? await chainOf(issuing, host) : undefined;
    const order = authority.issue({ host, challenge, replaces }, issuing.answerer(limited));
    const { chain, key } = await orAbort(order, limited);
    const read = readCertificate(chain, key, now());
    if (!read.ok) throw new Error(`the issued certificate is not usable: ${read.because}`);
    const { pem, leaf } = read.certificate;
    if (uncovered([read.certificate], [host]).length > 0) throw new Error('the issued certificate is for another name');
    const expiresAt = leaf.validToDate.getTime();
    const renewAt = renewalAt({ now: now(), expiresAt, random: random() });
    const issued = { host, issuedAt: now(), expiresAt, renewAt, askAt: now() };
    await write(db, 'all', (transaction) => storeCertificate(transaction, { ...issued, pem: seal.close(pem) }));
    issuing.stored();
    log.info({ host, because, expiresAt: new Date(expiresAt).toISOString() }, 'a certificate was issued');
  } catch (error) {
    // The service stops. The next process tries again.
    if (signal.aborted) return;
    const problem = (error as Error).message;
    await recordOrderFailure(db, host, problem);
    const details = { host, problem, failures: failures + 1, nextTryAt: new Date(nextTryAt).toISOString() };
    log.warn(details, 'a certificate was not issued');
  }
}

/** Queries the authority's suggested renewal times. They are immediate if the authority has to revoke certificates. */
async function readRenewalTimes(issuing: Issuing, wanted: readonly WantedCertificate[], states: CertificateState[]) {
  const { db, now, random, log, underWay } = issuing;
  const hosts = new Set(wanted.map(({ host }) => host));
  const due = states.filter((state) => {
    // A certificate that is being renewed gets a new plan afterwards.
    if (!hosts.has(state.host) || underWay.has(state.host)) return false;
    return isServed(state, now()) && state.askAt !== null && state.askAt <= now();
  });
  for (const { host, renewAt: present, expiresAt } of due.slice(0, questionsAtOnce)) {
    const chain = await chainOf(issuing, host);
    const authority = await issuing.authority();
    const requested = await authority.suggestion(chain!).catch((error: Error) => {
      log.warn({ host, problem: error.message }, 'the authority does not say when to renew');
      return undefined;
    });
    const planned =
      requested && suggestedRenewal(requested, { present: present!, expiresAt: expiresAt!, random: random() });
    await planRenewal(db, {
      host,
      renewAt: planned ?? present!,
      askAt: now() + (requested?.retryAfterMs ?? renewalCheckMs),
    });
  }
}

async function chainOf({ db, seal }: Issuing, host: string): Promise<string | undefined> {
  const [stored] = await sealedCertificates(db, [host]);
  return stored && seal.open(stored.pem);
}
