/**
 * PURE. The state of a custom domain at an instant, from DNS findings and certificates. Decides when to check again and
 * when an account loses a name.
 */
import type { Instant } from '../deployment.ts';
import { type Direction, type Finding, type ProofOutcome, proofOutcome } from './domain-finding.ts';
import type { DomainProblem } from './domain-problem.ts';

export const domainStates = ['pending', 'verified', 'certifying', 'live', 'failing', 'released'] as const;
/**
 * `pending`: not proven. `verified`: proven, but requests go elsewhere. `certifying`: requests arrive here, but the
 * certificate is missing. `failing`: it is served, but its proof is missing. `released`: it was lost.
 */
export type DomainState = (typeof domainStates)[number];

export type Domain = {
  name: string;
  accountId: string;
  deploymentId: string;
  /** Another name of the same deployment, to which visitors are redirected. */
  redirectTo: string | null;
  addedAt: Instant;
  /** When it was first proven. Since then, it belongs only to this account. */
  verifiedAt: Instant | null;
  /** Since when its proof is missing; null while it is found, and before it was proven. */
  failingSince: Instant | null;
  checkedAt: Instant | null;
  nextCheckAt: Instant;
  finding: Finding | null;
  releasedAt: Instant | null;
  releasedBecause: ReleaseCause | null;
  /** The time until which no other account may have it. */
  heldUntil: Instant | null;
  /** The problem that its owner was notified about, while it lasts. */
  told: DomainProblem | null;
};

/**
 * `removed`: by its owner. `unproven`: its proof never came, or was missing for too long. `ended`: its deployment
 * ended.
 */
export type ReleaseCause = 'removed' | 'unproven' | 'ended';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** How long a lost name is reserved, because DNS may still lead here. */
export const quarantineMs = 7 * dayMs;
/**
 * How long a name is served without its proof. The time is longer if no server responds, because that may be an outage.
 */
export const graceMs = { absent: 3 * dayMs, unanswered: 30 * dayMs } as const;
/** An unproven name is released after this time. */
export const pendingMs = 14 * dayMs;

/** @param hasCertificate undefined if this service does not terminate HTTPS. */
export function domainState(domain: Domain, hasCertificate: boolean | undefined): DomainState {
  if (domain.releasedAt !== null) return 'released';
  if (domain.verifiedAt === null) return 'pending';
  if (domain.failingSince !== null) return 'failing';
  if (domain.finding?.direction.kind !== 'here') return 'verified';
  return hasCertificate === false ? 'certifying' : 'live';
}

/** Returns when the domain is lost unless its proof is found. Null if the proof is present. */
export function releaseAt({ verifiedAt, addedAt, failingSince, finding }: Domain): Instant | null {
  if (verifiedAt === null) return addedAt + pendingMs;
  if (failingSince === null) return null;
  const end = failingSince + graceMs.unanswered;
  return finding?.absentSince === undefined ? end : Math.min(end, finding.absentSince + graceMs.absent);
}

export type Checked = Pick<
  Domain,
  'verifiedAt' | 'failingSince' | 'checkedAt' | 'nextCheckAt' | 'finding' | 'releasedAt' | 'releasedBecause'
>;

/**
 * Returns the domain after a DNS check. A single check without any response does not change a proven name.
 * @param isFree no other account has the name. @param random from 0 to 1, so that names that were added together are checked
 * at different times.
 */
export function afterCheck(
  domain: Domain,
  found: Finding,
  { now, isFree, random }: { now: Instant; isFree: boolean; random: number },
): Checked {
  const outcome = proofOutcome(found.proof);
  const isProven = outcome === 'found' && isFree;
  const verifiedAt = domain.verifiedAt ?? (isProven ? now : null);
  const isUnsure =
    outcome === 'unanswered' && domain.finding !== null && proofOutcome(domain.finding.proof) === 'found';
  const failingSince = verifiedAt === null || isProven || isUnsure ? null : (domain.failingSince ?? now);
  const absentSince = failingSince === null ? undefined : absence(domain.finding, outcome, now);
  const finding = {
    ...found,
    direction: knownDirection(domain.finding, found),
    wanted: found.wanted.length > 0 ? found.wanted : (domain.finding?.wanted ?? []),
    ...(outcome === 'found' && !isFree && { isTaken: true }),
    ...(absentSince !== undefined && { absentSince }),
  };
  const next = { ...domain, verifiedAt, failingSince, finding };
  const isHalf = isUnsure || found.direction.kind === 'unknown';
  const end = releaseAt(next);
  const isLost = end !== null && end <= now;
  return {
    verifiedAt,
    failingSince,
    finding,
    checkedAt: now,
    nextCheckAt: Math.round(now + nextCheckMs(next, { now, isHalf }) * (1 + random / 10)),
    releasedAt: isLost ? now : null,
    releasedBecause: isLost ? 'unproven' : null,
  };
}

/**
 * Returns the time of the next check: soon for a pending name, then less and less often; once a day for a healthy one.
 * `isHalf`: some lookups failed.
 */
function nextCheckMs(
  { verifiedAt, failingSince, addedAt, finding }: Domain,
  { now, isHalf }: { now: Instant; isHalf: boolean },
): number {
  if (failingSince !== null) return 60 * minuteMs;
  if (verifiedAt !== null && finding?.direction.kind === 'here') return isHalf ? 60 * minuteMs : dayMs;
  const waitsSince = verifiedAt ?? addedAt;
  return Math.min(6 * 60 * minuteMs, Math.max(minuteMs / 2, (now - waitsSince) / 4));
}

/** A check without a response does not affect certificates. */
function knownDirection(before: Finding | null, { direction }: Finding): Direction {
  return direction.kind === 'unknown' && before?.direction.kind === 'here' ? before.direction : direction;
}

function absence(before: Finding | null, outcome: ProofOutcome, now: Instant): Instant | undefined {
  if (outcome === 'found') return undefined;
  return before?.absentSince ?? (outcome === 'absent' ? now : undefined);
}
