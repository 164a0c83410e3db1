/** The deployments of a claim link, and the claim itself, in one transaction. */
import { type Deployment, isActive } from '../../deployment/deployment.ts';
import { limitAt, planFits } from '../../deployment/limits/plan-tier.ts';
import { type Result, refuse, succeed } from '../../lib/problem.ts';
import { usageOf } from '../../store/accounts.ts';
import { claimOfToken } from '../../store/claims.ts';
import type { Database } from '../../store/database.ts';
import { activeDeployments, deploymentById } from '../../store/deployments.ts';
import { intend } from '../../store/intents.ts';
import type { Origin } from '../../store/origins.ts';
import { endToken } from '../../store/session-tokens.ts';
import { accountOfSession, attachSession } from '../../store/sessions.ts';
import { write } from '../../store/transaction.ts';
import { usageOfDeployments } from '../../store/usage.ts';
import { refuseBanned } from '../admission/caller-admission.ts';
import { planOf } from '../admission/plans.ts';
import type { Service } from '../api-service.ts';

/** `isOwned`: whether its session is the account's already; it may have been started after that, and count to no plan. */
export type Found = { deployment: Deployment; isYours: boolean; isOwned: boolean };

/**
 * The deployment of a claim link, for the signed-in account, if any. A used link is always reported as used, even after
 * its expiry.
 */
export async function findClaim(
  db: Database,
  token: string,
  accountId: string | undefined,
  now: number,
): Promise<Result<Found>> {
  const claim = await claimOfToken(db, token);
  const deployment = claim && (await deploymentById(db, claim.deploymentId));
  if (!claim || !deployment) {
    return refuse(
      'claim_not_found',
      'The claim link does not exist.',
      'Request a new link with POST /claimDeployment.',
    );
  }
  const owner = await accountOfSession(db, deployment.sessionId);
  if (owner !== null && owner !== accountId) {
    return refuse(
      'already_claimed',
      'This link has been used: the application belongs to an account.',
      'If it is yours, sign in to that account.',
    );
  }
  if (!isActive(deployment, now)) {
    return refuse('claim_expired', 'The application of this link has ended.', 'Start a new deployment.');
  }
  const isYours = owner !== null && deployment.claimedAt !== null;
  if (!isYours && claim.expiresAt <= now) {
    return refuse('claim_expired', 'This claim link has expired.', 'Request a new link with POST /claimDeployment.');
  }
  return succeed({ deployment, isYours, isOwned: owner !== null });
}

/**
 * Returns everything that a claim attaches or has attached, the link's deployment first. If the session already belongs
 * to the account, only that deployment is returned. The session's other unclaimed deployments have their own links.
 */
export async function attachedBy(
  db: Database,
  { deployment, isYours, isOwned }: Found,
  now: number,
): Promise<Deployment[]> {
  const session = isYours || !isOwned ? await activeDeployments(db, deployment.sessionId, now) : [];
  const others = session.filter(({ id, claimedAt }) => id !== deployment.id && (!isYours || claimedAt !== null));
  return [deployment, ...others];
}

type Confirming = {
  accountId: string;
  origin: Origin;
  endToken: boolean;
  /** The addresses shown to the confirming user, if known. */
  urls: readonly string[] | undefined;
};

/**
 * Attaches the session to the account. Its active deployments stop expiring, according to the account's plan. They are
 * not deployed again. A second call by the same account changes nothing.
 */
export async function claim(
  service: Service,
  token: string,
  { accountId, origin, endToken: isTokenEnding, urls }: Confirming,
): Promise<Result<{ deployment: Deployment; attached: Deployment[] }>> {
  const now = service.now();
  const claimed = await write(service.db, 'all', async (db) => {
    const found = await findClaim(db, token, accountId, now);
    if (!found.ok) return found;
    const { deployment, isYours, isOwned } = found.value;
    const attached = await attachedBy(db, found.value, now);
    const unseen = attached.filter(({ label }) => urls && !urls.includes(service.urlOf(label).origin));
    if (!isYours && unseen.length > 0) return changedMeanwhile(unseen);
    const owned = { accountId, sessionId: deployment.sessionId };
    if (isYours && isTokenEnding) await endToken(db, owned, now);
    if (isYours) return succeed({ deployment, attached, isNew: false });
    const unbanned = await refuseBanned(db, origin, { accountId });
    if (!unbanned.ok) return unbanned;
    const plan = await planOf(db, service.settings.tiers, accountId);
    if (!plan) throw new Error('an account is signed in that does not exist');
    const { tier } = plan;
    const added = await usageOfDeployments(
      db,
      attached.map(({ id }) => id),
    );
    const fit = planFits(tier, await usageOf(db, accountId, now), added);
    if (!fit.ok) return fit;
    if (!isOwned && !(await attachSession(db, deployment.sessionId, accountId))) {
      return refuse('already_claimed', 'Another account has claimed this application just now.');
    }
    for (const { id, expiresAt } of attached) {
      const intent = { claimedAt: now, expiresAt: limitAt(tier, now, expiresAt) };
      await intend(db, id, intent, { event: { kind: 'intent', intent: 'claim' }, now });
    }
    if (isTokenEnding) await endToken(db, owned, now);
    return succeed({ deployment, attached, isNew: true });
  });
  if (!claimed.ok) return claimed;
  if (claimed.value.isNew) for (const { id } of claimed.value.attached) service.wake(id);
  return claimed;
}

function changedMeanwhile(unseen: readonly Deployment[]) {
  const names = unseen.map(({ applicationName }) => applicationName).join(', ');
  return refuse(
    'claim_changed',
    `The session has new deployments that the claim would attach too: ${names}.`,
    'Request GET /api/claims/{token} again and confirm the deployments that it lists.',
  );
}
