/**
 * PURE. The state of a custom domain at an instant, from what was found in DNS and what the authority has issued; when to
 * look again, and when somebody loses a name.
 */
import type { Instant } from '../deployment.ts';
import { type Direction, type Finding, type ProofOutcome, proofOutcome } from './domain-finding.ts';
import type { DomainTrouble } from './domain-trouble.ts';

export const domainStates = ['pending', 'verified', 'certifying', 'live', 'failing', 'released'] as const;
/**
 * `pending`: not proven. `verified`: proven, and requests for it go elsewhere. `certifying`: it leads here, and has no
 * certificate yet. `failing`: it is served, and its proof is gone. `released`: it was lost.
 */
export type DomainState = (typeof domainStates)[number];

export type Domain = {
  name: string;
  accountId: string;
  deploymentId: string;
  /** Another name of the same deployment that visitors are sent to. */
  redirectTo: string | null;
  addedAt: Instant;
  /** When it was proven first; from then on it is this account's alone. */
  verifiedAt: Instant | null;
  /** Since when its proof is not found; null while it is, and before it was. */
  failingSince: Instant | null;
  checkedAt: Instant | null;
  nextCheckAt: Instant;
  finding: Finding | null;
  releasedAt: Instant | null;
  releasedBecause: ReleaseCause | null;
  /** Until then no other account may have it. */
  heldUntil: Instant | null;
  /** What its owner was told by mail, while that is so. */
  told: DomainTrouble | null;
};

/** `removed`: its owner wanted it so; `unproven`: its proof did not come, or was gone too long; `ended`: its deployment was. */
export type ReleaseCause = 'removed' | 'unproven' | 'ended';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** A name that was lost may still lead here, and be somebody's by tomorrow. */
export const quarantineMs = 7 * dayMs;
/** How long a name serves without its proof; where no server answers at all, much longer: that may be nobody's will. */
export const graceMs = { absent: 3 * dayMs, unanswered: 30 * dayMs } as const;
/** Who has not proven a name by then has given up. */
export const pendingMs = 14 * dayMs;

/** @param hasCertificate undefined where this service ends no HTTPS. */
export function domainState(domain: Domain, hasCertificate: boolean | undefined): DomainState {
  if (domain.releasedAt !== null) return 'released';
  if (domain.verifiedAt === null) return 'pending';
  if (domain.failingSince !== null) return 'failing';
  if (domain.finding?.direction.kind !== 'here') return 'verified';
  return hasCertificate === false ? 'certifying' : 'live';
}

/** When it is lost unless its proof is found before; null while nothing is wrong with it. */
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
 * What a look at DNS makes of a domain. A single one that no server answers changes nothing of a name that is proven.
 * @param isFree no other account has the name. @param random from 0 to 1: names that were added together are looked at apart.
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

/** What somebody waits for soon, and ever less often; what is well once a day. `isHalf`: not all was answered. */
function nextCheckMs(
  { verifiedAt, failingSince, addedAt, finding }: Domain,
  { now, isHalf }: { now: Instant; isHalf: boolean },
): number {
  if (failingSince !== null) return 60 * minuteMs;
  if (verifiedAt !== null && finding?.direction.kind === 'here') return isHalf ? 60 * minuteMs : dayMs;
  const waitsSince = verifiedAt ?? addedAt;
  return Math.min(6 * 60 * minuteMs, Math.max(minuteMs / 2, (now - waitsSince) / 4));
}

/** A look that is not answered takes nobody's certificate. */
function knownDirection(before: Finding | null, { direction }: Finding): Direction {
  return direction.kind === 'unknown' && before?.direction.kind === 'here' ? before.direction : direction;
}

function absence(before: Finding | null, outcome: ProofOutcome, now: Instant): Instant | undefined {
  if (outcome === 'found') return undefined;
  return before?.absentSince ?? (outcome === 'absent' ? now : undefined);
}
